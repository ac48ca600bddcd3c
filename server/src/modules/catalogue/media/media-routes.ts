import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { isSameEntity } from '../../../platform/http/kept-answers.ts';
import { readUpload, UPLOAD_ERRORS } from '../../../platform/http/upload.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import { imageTypeOf } from './image-type.ts';
import type { MediaFolder } from './media-folder.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const PATH = '/media';

export function mediaEndpoints(deps: ResourceDeps, folder: MediaFolder): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/media',
      access: { permission: 'catalogue:write' },
      tag: 'Media',
      summary: 'Upload a picture',
      description:
        'One part `file` of `multipart/form-data`, at most 5 MiB: PNG, JPEG, GIF, WebP or AVIF by its content, whatever its name says. The `url` goes into `image_url` of a brand, product, banner, …',
      upload: true,
      data: Type.Object({ url: Type.String(), content_type: Type.String(), size_bytes: Type.Integer() }),
      status: 201,
      errors: [...UPLOAD_ERRORS],
      async handle(call) {
        const { bytes } = await readUpload(call.request, { maxBytes: MOST_BYTES });
        const type = imageTypeOf(bytes);
        if (!type) throw fieldError('file', 'file must be a PNG, JPEG, GIF, WebP or AVIF picture');
        const name = await folder.keep(bytes, type.extension);
        const stored = { url: `${PATH}/${name}`, content_type: type.contentType, size_bytes: bytes.length };
        await inTransaction(deps.db, (tx) =>
          deps.recordAudit(tx, {
            ...auditActor(call),
            action: 'media:upload',
            resource: `media:${name}`,
            after: stored,
          }),
        );
        return stored;
      },
    }),
  ];
}

/**
 * Serves uploaded pictures at `/media/…`, to everybody and for ever: a name stands for one content. Should a browser
 * take one for something else after all, it may run nothing.
 */
export function serveMedia(app: FastifyInstance, folder: MediaFolder): void {
  app.get<{ Params: { name: string } }>(
    `${PATH}/:name`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { name } = request.params;
      const media = await folder.open(name);
      if (!media) throw new AppError('NOT_FOUND', 'There is no such picture');
      const entityTag = `"${name}"`;
      reply.headers({
        'content-type': media.contentType,
        'cache-control': 'public, max-age=31536000, immutable',
        etag: entityTag,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      });
      if (isSameEntity(request.headers['if-none-match'], entityTag)) return reply.code(304).send();
      return reply.header('content-length', media.sizeBytes).send(media.stream());
    },
  );
}
