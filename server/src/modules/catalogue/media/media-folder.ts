import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { access, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { contentTypeOf } from './image-type.ts';

/** Pictures on disk, named after their content: the same picture twice is one file, and a file never changes. */
export interface MediaFolder {
  /** @returns the file's name. */
  readonly keep: (bytes: Uint8Array, extension: string) => Promise<string>;
  /** Undefined for a name that is none of ours, whatever it tries to reach. */
  readonly open: (name: string) => Promise<OpenMedia | undefined>;
}

export interface OpenMedia {
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly stream: () => ReadStream;
}

const NAME = /^[0-9a-f]{40}\.([a-z]{3,4})$/;

export function createMediaFolder(folder: string): MediaFolder {
  return {
    async keep(bytes, extension) {
      const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}.${extension}`;
      const path = join(folder, name);
      if (await exists(path)) return name;
      await mkdir(folder, { recursive: true });
      // Renamed when whole: nobody is ever served half a picture.
      const unfinished = join(folder, `.${randomUUID()}`);
      await writeFile(unfinished, bytes);
      await rename(unfinished, path);
      return name;
    },
    async open(name) {
      const contentType = contentTypeOf(NAME.exec(name)?.[1] ?? '');
      if (contentType === undefined) return undefined;
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFile()) return undefined;
      return { contentType, sizeBytes: found.size, stream: () => createReadStream(path) };
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
