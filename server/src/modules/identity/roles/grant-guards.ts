import { AppError } from '../../../platform/errors.ts';
import { EVERYTHING, isPermission, permissionsIn } from '../permissions.ts';
import { missingToGrant, unknownNames } from './grant-rules.ts';

/** @throws AppError FORBIDDEN unless the actor has all of these permissions. */
export function assertMayGrant(own: ReadonlySet<string>, stored: readonly string[]): void {
  const missing = missingToGrant(own, permissionsIn(stored)).filter(
    (permission) => permission !== 'account:self',
  );
  if (missing.length > 0) {
    throw new AppError('FORBIDDEN', `This takes permissions that you do not have: ${missing.join(', ')}`);
  }
}

/** @throws AppError VALIDATION_ERROR that names each entry of `field` that is no permission. */
export function assertPermissions(field: string, asked: readonly string[]): void {
  const known = new Set(asked.filter((text) => isPermission(text) && text !== 'account:self'));
  const fields = unknownNames(field, asked, known);
  const [first] = fields;
  if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields });
}

export const holdsEverything = (stored: readonly string[]): boolean => stored.includes(EVERYTHING);
