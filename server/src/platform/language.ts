import { Type } from 'typebox';

export type Language = 'en' | 'bn';

/** The query parameter of all that answers or sends texts. An unknown language is no error: it reads as English. */
export const languageQuery = {
  lang: Type.Optional(
    Type.String({ maxLength: 35, description: '`bn` for Bangla; else `Accept-Language` decides.' }),
  ),
};

/** `?lang=` when given, else the first language of `Accept-Language`: Bangla when it starts with `bn`. */
export function languageOf(asked: string | undefined, acceptLanguage: string | undefined): Language {
  const wanted = asked ?? acceptLanguage ?? '';
  return /^\s*bn(?![a-z])/i.test(wanted) ? 'bn' : 'en';
}

/** The Bangla text where there is one and it is wanted. */
export function inLanguage(language: Language, english: string, bangla: string | null | undefined): string;
export function inLanguage(
  language: Language,
  english: string | null,
  bangla: string | null | undefined,
): string | null;
export function inLanguage(
  language: Language,
  english: string | null,
  bangla: string | null | undefined,
): string | null {
  return language === 'bn' && bangla ? bangla : english;
}
