import type { Language } from '../../../platform/language.ts';
import { OTP_LIFE_SECONDS } from './otp-rules.ts';

const MINUTES = OTP_LIFE_SECONDS / 60;

/**
 * What a phone shows: the code and how to treat it, and no other secret. Each fits one message: 160 characters, or 70 with
 * Bangla letters in it. The code's digits are those of the keys it is typed with, in both.
 */
const texts: Readonly<Record<Language, (code: string) => string>> = {
  en: (code) => `Your code is ${code}. It works for ${MINUTES} minutes. Give it to nobody.`,
  bn: (code) => `আপনার কোড ${code}। এটি ${MINUTES} মিনিট কাজ করবে। কাউকে দেবেন না।`,
};

export function otpText(language: Language, code: string): string {
  return texts[language](code);
}
