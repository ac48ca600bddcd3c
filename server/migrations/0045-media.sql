-- Why: pictures of the shop lie where every process finds them and every backup has them: they lay in a folder of the
-- process that took them, and the others answered 404. Whoever looks after the homepage may upload them, too.
-- Owner: catalogue (media), identity (roles, api_keys).
-- Locks: short (a new table, few rows). Undo: drop the table, take the permission out of the lists.

CREATE TABLE media (
  -- Of its content: the same picture twice is one row, and a row never changes.
  name       text        PRIMARY KEY CHECK (name ~ '^[0-9a-f]{40}\.[a-z]{3,4}$'),
  bytes      bytea       NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 5242880),
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Pictures are compressed already.
ALTER TABLE media ALTER COLUMN bytes SET STORAGE EXTERNAL;

UPDATE roles SET permissions = permissions || '{media:write}'::text[]
WHERE permissions && '{catalogue:write,homepage:write}'::text[] AND NOT '*' = ANY (permissions);
UPDATE api_keys SET scopes = scopes || '{media:write}'::text[]
WHERE scopes && '{catalogue:write,homepage:write}'::text[] AND NOT '*' = ANY (scopes);
