import { builder } from './builder.ts';
import type { AppError } from '../errors.ts';
import {
  ConflictError,
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
  type FieldProblem,
} from '../errors.ts';
import { costs } from './field-cost.ts';

/** Description shared by every mutation that creates something (D-78). */
export const onceADay =
  'Key of your choice for this call: within 24 hours, calls with the same key and input take effect only once. 1 to 255 printable ASCII characters.';
/** Description shared by every mutation that changes something with a version. */
export const onlyVersion =
  'Version that it must have, else the result is a ConflictError; omit it to change any version.';
export const replayedByKey = 'Whether an earlier call with the same idempotency key did this.';

/** The place of a problem from the argument on: that of every mutation is called `input`. */
export function inputPath(path: readonly string[]): string[] {
  return path[0] === 'input' ? [...path] : ['input', ...path];
}

/** GraphQL types of the expected failures of mutations: members of their result unions. */
export const UserError = builder.interfaceRef<AppError>('UserError').implement({
  description: 'Common fields of every expected failure of a mutation.',
  fields: (t) => ({
    message: t.exposeString('inGraphQL', {
      description: 'What went wrong, in English, for people; programs should use types and codes.',
    }),
    code: t.exposeString('graphqlCode', {
      description: 'Stable machine code, e.g. DATASET_PUBLISHED.',
    }),
    legacyCode: t.string({
      nullable: true,
      description: 'Code of the same failure in REST, e.g. E147; null if it has none.',
      resolve: (error) => error.code,
    }),
  }),
});

const FieldProblemRef = builder.objectRef<FieldProblem>('FieldProblem').implement({
  description: 'One problem with the input.',
  fields: (t) => ({
    path: t.stringList({
      resolve: ({ path }) => inputPath(path),
      description: 'Names of the input fields that lead to the value, outermost first.',
    }),
    message: t.string({
      resolve: ({ inGraphQL, message }) => inGraphQL ?? message,
      description: 'What went wrong, in English, for people; programs should use types and codes.',
    }),
    code: t.exposeString('code', { description: 'Stable machine code, e.g. TOO_LONG.' }),
  }),
});

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'The input breaks a rule.',
  interfaces: [UserError],
  fields: (t) => ({
    problems: t.expose('problems', {
      type: [FieldProblemRef],
      extensions: costs({ rows: 10 }),
      description: 'All problems of the input, not only the first.',
    }),
  }),
});
builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The object does not exist, or you may not see it.',
  // A field may return it as a plain object: graphql-js treats a returned Error as thrown.
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'entity' in value,
  interfaces: [UserError],
  fields: (t) => ({
    entity: t.exposeString('entity', { description: 'Kind of the object, e.g. Feed.' }),
  }),
});
builder.objectType(ForbiddenError, {
  name: 'ForbiddenError',
  description: 'You may see the object, but you may not do this.',
  interfaces: [UserError],
});
builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'Somebody else changed the object in the meantime.',
  interfaces: [UserError],
  fields: (t) => ({
    currentVersion: t.exposeInt('currentVersion', {
      nullable: true,
      description: 'Version of the object now, to send as `expectedVersion`.',
    }),
  }),
});
builder.objectType(IdempotencyError, {
  name: 'IdempotencyError',
  description: "The idempotency key can't be used now, or not for this request.",
  interfaces: [UserError],
  fields: (t) => ({
    retryAfterSeconds: t.exposeInt('retryAfterSeconds', {
      nullable: true,
      description:
        'Seconds after which to retry; null unless the first request with the key is still running.',
    }),
  }),
});
