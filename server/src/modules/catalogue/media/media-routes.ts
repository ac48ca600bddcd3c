import { createHash } from 'node:crypto';

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { isSameEntity } from '../../../platform/http/kept-answers.ts';
import { readUpload, UPLOAD_ERRORS } from '../../../platform/http/upload.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import { imageSizeOf } from './image-size.ts';
import { contentTypeOf, imageTypeOf } from './image-type.ts';
import type { ImageType } from './image-type.ts';
import { findMedia, insertMedia } from './media-store.ts';

const MOST_BYTES = 5 * 1024 * 1024;
/** A few bytes can unpack to gigabytes in every customer's browser. A camera's 24 million dots are fine. */
const MOST_DOTS = 40_000_000;
const PATH = '/media';
const NAME = /^[0-9a-f]{40}\.([a-z]{3,4})$/;

export function mediaEndpoints(deps: ResourceDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/media',
      access: { permission: 'media:write' },
      tag: 'Media',
      summary: 'Upload a picture',
      description:
        'One part `file` of `multipart/form-data`, at most 5 MiB and 40 million dots: PNG, JPEG, GIF, WebP or AVIF by its content, whatever its name says. The `url` goes into `image_url` of a brand, product, banner, …',
      upload: true,
      data: Type.Object({ url: Type.String(), content_type: Type.String(), size_bytes: Type.Integer() }),
      status: 201,
      errors: [...UPLOAD_ERRORS],
      async handle(call) {
        const { bytes } = await readUpload(call.request, { maxBytes: MOST_BYTES });
        const type = checkImage(bytes);
        // Named after its content: the same picture twice is one, and what a name stands for never changes.
        const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 40);
        const name = `${digest}.${type.extension}`;
        const stored = { url: `${PATH}/${name}`, content_type: type.contentType, size_bytes: bytes.length };
        await inTransaction(deps.db, async (tx) => {
          await insertMedia(tx, name, bytes);
          await deps.recordAudit(tx, {
            ...auditActor(call),
            action: 'media:upload',
            resource: `media:${name}`,
            after: stored,
          });
        });
        return stored;
      },
    }),
  ];
}

/** @throws VALIDATION_ERROR for what is no picture by its content, or one that is too large. */
function checkImage(bytes: Buffer): ImageType {
  const type = imageTypeOf(bytes);
  const size = type && imageSizeOf(bytes, type.extension);
  const dots = size ? size.width * size.height : 0;
  if (!type || dots === 0) throw fieldError('file', 'file must be a PNG, JPEG, GIF, WebP or AVIF picture');
  if (dots > MOST_DOTS) throw fieldError('file', 'file must be a picture of at most 40 million dots');
  return type;
}

/**
 * Serves uploaded pictures at `/media/…`, to everybody and for ever: a name stands for one content. Should a browser
 * take one for something else after all, it may run nothing.
 */
export function serveMedia(app: FastifyInstance, reader: Reader): void {
  app.get<{ Params: { name: string } }>(
    `${PATH}/:name`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { name } = request.params;
      const contentType = contentTypeOf(NAME.exec(name)?.[1] ?? '');
      const bytes = contentType === undefined ? undefined : await findMedia(reader, name);
      if (contentType === undefined || !bytes) throw new AppError('NOT_FOUND', 'There is no such picture');
      const entityTag = `"${name}"`;
      reply.headers({
        'content-type': contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        etag: entityTag,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      });
      if (isSameEntity(request.headers['if-none-match'], entityTag)) return reply.code(304).send();
      return reply.send(bytes);
    },
  );
}
