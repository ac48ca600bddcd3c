import { Client, DatabaseError } from 'pg';

/** Runs `work` on one short connection. Errors of the connection itself never go unheard. */
async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 4_000, ssl: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof DatabaseError && error.code === code;
}

/** Makes sure the database of the address is there. One round trip when it is. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    if (!hasCode(error, '3D000')) throw error;
    const maintenance = new URL(url);
    const name = maintenance.pathname.slice(1);
    maintenance.pathname = '/postgres';
    await withClient(maintenance.href, (client) =>
      client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`),
    );
  }
}

/**
 * The `postmaster.pid` as the server behind the address sees it. It shows that the process which accepts our password
 * is the one of our folder, and not one started from a copy of it.
 */
export function readServerIdentity(url: string): Promise<string> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  return withClient(maintenance.href, async (client) => {
    const answer = await client.query<{ text: string }>("SELECT pg_read_file('postmaster.pid') AS text");
    return answer.rows[0]?.text ?? '';
  });
}

/** Whether the server is there but still recovering or shutting down (SQLSTATE 57P03). */
export function isNotReadyYet(error: unknown): boolean {
  return hasCode(error, '57P03');
}

/** Whether the server refused our password. */
export function isRefused(error: unknown): boolean {
  return hasCode(error, '28P01') || hasCode(error, '28000');
}
