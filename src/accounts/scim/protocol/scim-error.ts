import { AppError } from '../../../core/errors.ts';

/** Errors of RFC 7644, 3.12: the word for clients, by our code. */
export const scimTypes = {
  INVALID_FILTER: 'invalidFilter',
  INVALID_PATH: 'invalidPath',
  INVALID_SYNTAX: 'invalidSyntax',
  INVALID_VALUE: 'invalidValue',
  MUTABILITY: 'mutability',
  NO_TARGET: 'noTarget',
  TOO_MANY: 'tooMany',
} as const;

/** A request that SCIM refuses with 400. */
export function scimError(graphqlCode: keyof typeof scimTypes, message: string): AppError {
  return new AppError('E900', { message, graphqlCode });
}
