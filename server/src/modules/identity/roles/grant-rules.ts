import type { FieldProblem } from '../../../platform/errors.ts';

/**
 * Nobody gives, or takes from somebody, what they do not have: otherwise whoever may edit roles or admins has every
 * permission there is.
 */
export function missingToGrant(own: ReadonlySet<string>, granted: Iterable<string>): string[] {
  return [...granted].filter((permission) => !own.has(permission)).toSorted();
}

export function unknownNames(
  field: string,
  asked: readonly string[],
  known: ReadonlySet<string>,
): FieldProblem[] {
  return asked
    .filter((name) => !known.has(name))
    .map((name) => ({ field, message: `${field} has an unknown entry: ${name}` }));
}
