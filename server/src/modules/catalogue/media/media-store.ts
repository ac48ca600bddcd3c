import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

const INSERT_MEDIA = statement(
  'catalogue_insert_media',
  'INSERT INTO media (name, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);

/** A picture that is there already stays as it is: its name says what it holds. */
export async function insertMedia(tx: Tx, name: string, bytes: Buffer): Promise<number> {
  return (await tx.query(INSERT_MEDIA, [name, bytes])).count;
}

const FIND_MEDIA = statement('catalogue_find_media', 'SELECT bytes FROM media WHERE name = $1');

export async function findMedia(reader: Reader, name: string): Promise<Buffer | undefined> {
  return (await reader.query<{ bytes: Buffer }>(FIND_MEDIA, [name])).rows[0]?.bytes;
}
