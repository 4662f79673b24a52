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
  'Within 24 hours, calls with the same key and input take effect only once. 1 to 255 printable ASCII characters.';
export const replayedByKey = 'True if an earlier call with the same idempotency key did this.';

/** GraphQL types of the expected failures of mutations: members of their result unions. */
export const UserError = builder.interfaceRef<AppError>('UserError').implement({
  description: 'Common fields of every expected failure of a mutation.',
  fields: (t) => ({
    message: t.exposeString('message', {
      description: 'Description in English, for people; programs should use types and codes.',
    }),
    code: t.exposeString('graphqlCode', {
      description: 'Stable machine code, e.g. DATASET_PUBLISHED.',
    }),
    legacyCode: t.string({
      nullable: true,
      description: 'Code in REST, e.g. E147, or null.',
      resolve: (error) => error.code,
    }),
  }),
});

const FieldProblemRef = builder.objectRef<FieldProblem>('FieldProblem').implement({
  description: 'One problem with the input.',
  fields: (t) => ({
    path: t.exposeStringList('path', { description: 'Input field names, outermost first.' }),
    message: t.exposeString('message', {
      description: 'Description in English, for people; programs should use types and codes.',
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
      description: 'Every problem at once.',
    }),
  }),
});
builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The object does not exist, or you may not see it.',
  // A field may return it as a plain object: graphql-js treats a returned Error as thrown.
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'entity' in value,
  interfaces: [UserError],
  fields: (t) => ({ entity: t.exposeString('entity', { description: 'Kind of the object.' }) }),
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
      description: 'Current version of the object.',
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
        'Seconds after which to retry; set when the first request with the key is still running.',
    }),
  }),
});
