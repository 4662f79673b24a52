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

/** Descriptions that every creating mutation shares (D-78). */
export const onceADay =
  'With the same key and input it is done once, for 24 hours; 1 to 255 printable ASCII characters.';
export const replayedByKey = 'An earlier call with the same idempotency key did it.';

/** GraphQL types of the expected failures of mutations: members of their result unions. */
export const UserError = builder.interfaceRef<AppError>('UserError').implement({
  description: 'Common shape of every expected failure of a mutation.',
  fields: (t) => ({
    message: t.exposeString('message', {
      description: 'What it is about, in English, for people: programs go by types and codes.',
    }),
    code: t.exposeString('graphqlCode', {
      description: 'Stable machine code, e.g. DATASET_PUBLISHED.',
    }),
    legacyCode: t.string({
      nullable: true,
      description: 'Code of the REST face, e.g. E147, or null.',
      resolve: (error) => error.code,
    }),
  }),
});

const FieldProblemRef = builder.objectRef<FieldProblem>('FieldProblem').implement({
  description: 'One thing that is wrong with the input.',
  fields: (t) => ({
    path: t.exposeStringList('path', { description: 'Input field names, outermost first.' }),
    message: t.exposeString('message', {
      description: 'What it is about, in English, for people: programs go by types and codes.',
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
  description: 'There is no such object, or none that you may see.',
  // A field may return it as a plain object: graphql-js takes a returned Error for a thrown one.
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'entity' in value,
  interfaces: [UserError],
  fields: (t) => ({ entity: t.exposeString('entity', { description: 'Kind of the object.' }) }),
});
builder.objectType(ForbiddenError, {
  name: 'ForbiddenError',
  description: 'You see the object but may not do this.',
  interfaces: [UserError],
});
builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'Somebody else changed the object first.',
  interfaces: [UserError],
  fields: (t) => ({
    currentVersion: t.exposeInt('currentVersion', {
      nullable: true,
      description: 'Version of the object now.',
    }),
  }),
});
builder.objectType(IdempotencyError, {
  name: 'IdempotencyError',
  description: 'The idempotency key can not be used now, or not for this request.',
  interfaces: [UserError],
  fields: (t) => ({
    retryAfterSeconds: t.exposeInt('retryAfterSeconds', {
      nullable: true,
      description: 'Set when the first request with the key still runs: try again then.',
    }),
  }),
});
