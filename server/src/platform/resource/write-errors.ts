import { isForeignKeyViolation, sqlStateOf, violatedConstraint } from '../db/database.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Resource } from './resource.ts';

const UNIQUE = '23505';

export const notFound = (name: string): AppError => new AppError('NOT_FOUND', `There is no such ${name}`);

/** 409: somebody has written the row since the caller read it. */
export const staleRow = (resource: Resource): AppError =>
  new AppError('CONFLICT', `The ${resource.name} has changed since you read it: read it again`, {
    data: { type: 'StaleResource' },
  });

/**
 * What the database refused, as an answer: a value taken already and a row still in use are 409, a reference to a row
 * that is not there is 400 about its field. Anything else stays what it is.
 */
export function translateWriteError(error: unknown, resource: Resource, isDelete: boolean): unknown {
  const constraint = violatedConstraint(error);
  if (constraint === undefined) return error;
  if (sqlStateOf(error) === UNIQUE) return alreadyTaken(resource, constraint, error);
  if (!isForeignKeyViolation(error)) return error;
  return isDelete ? stillUsed(resource, error) : unknownReference(constraint, error);
}

function alreadyTaken(resource: Resource, constraint: string, cause: unknown): AppError {
  const field = constraint.split('__')[1] ?? '';
  const message =
    resource.conflicts?.[constraint] ??
    (field in resource.fields
      ? `Another ${resource.name} has this ${field} already`
      : `There is such a ${resource.name} already`);
  const named = field in resource.fields ? { field } : {};
  return new AppError('CONFLICT', message, { data: { type: 'AlreadyExists', ...named }, cause });
}

function stillUsed(resource: Resource, cause: unknown): AppError {
  const user = tableOf(cause);
  return new AppError(
    'CONFLICT',
    `This ${resource.name} is still used by ${user.replaceAll('_', ' ')}: change those first, or switch it off`,
    { data: { type: 'StillReferenced', referenced_by: user }, cause },
  );
}

/** PostgreSQL names it `<table>_<column>_fkey`, and the error says which table. */
function unknownReference(constraint: string, cause: unknown): AppError {
  const field = constraint.replace(`${tableOf(cause)}_`, '').replace(/_fkey$/, '');
  const error = fieldError(field, `${field} names something that does not exist`);
  error.cause = cause;
  return error;
}

function tableOf(error: unknown): string {
  return error instanceof Error && 'table' in error && typeof error.table === 'string'
    ? error.table
    : 'others';
}
