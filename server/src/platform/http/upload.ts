import type { FastifyRequest } from 'fastify';

import { AppError, fieldError } from '../errors.ts';

export interface UploadedFile {
  /** As the sender calls it: for messages, never for a path. */
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The one file of a `multipart/form-data` body of an endpoint with `upload`.
 *
 * @throws VALIDATION_ERROR (there is no file), PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST (a cut form).
 */
export async function readUpload(
  request: FastifyRequest,
  limits: { readonly maxBytes: number },
): Promise<UploadedFile> {
  try {
    const part = await request.file({ limits: { fileSize: limits.maxBytes } });
    if (!part) throw fieldError('file', 'Send the file as a part of multipart/form-data');
    return { name: part.filename, bytes: await part.toBuffer() };
  } catch (error) {
    if (error instanceof AppError || isRefusal(error)) throw error;
    // The library takes a form that ends too early for our fault.
    throw new AppError('BAD_REQUEST', 'The form data is cut or malformed', { cause: error });
  }
}

export interface UploadedForm {
  readonly file: UploadedFile;
  /** The text parts, wherever they stand. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The one file of a form and its text parts.
 *
 * @throws as `readUpload`.
 */
export async function readUploadedForm(
  request: FastifyRequest,
  limits: { readonly maxBytes: number },
): Promise<UploadedForm> {
  try {
    let file: UploadedFile | undefined;
    const fields: Record<string, string> = {};
    for await (const part of request.parts({ limits: { fileSize: limits.maxBytes } })) {
      if (part.type === 'file') file = { name: part.filename, bytes: await part.toBuffer() };
      else if (typeof part.value === 'string') fields[part.fieldname] = part.value;
    }
    if (!file) throw fieldError('file', 'Send the file as a part of multipart/form-data');
    return { file, fields };
  } catch (error) {
    if (error instanceof AppError || isRefusal(error)) throw error;
    throw new AppError('BAD_REQUEST', 'The form data is cut or malformed', { cause: error });
  }
}

/** Errors of the framework that say what is wrong: too large, no multipart. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
}

/** What an endpoint that reads an upload can answer besides. */
export const UPLOAD_ERRORS = [
  'VALIDATION_ERROR',
  'BAD_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;
