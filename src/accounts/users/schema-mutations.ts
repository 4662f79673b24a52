import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationPayload } from '../../core/graphql/mutations.ts';
import {
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { replayedByKey } from '../../core/graphql/user-errors.ts';
import { createUser } from './create-user.ts';
import { decodeUserId } from './decode-user-id.ts';
import { disableUser, enableUser } from './disable-user.ts';
import { CreateUserInput, UpdateUserInput, UserIdInput } from './schema-inputs.ts';
import { UserRef } from './schema.ts';
import { updateUser } from './update-user.ts';
import type { User } from './user.ts';

const CreateUserPayload = mutationPayload<{ user: User; replayed: boolean }>('CreateUserPayload', {
  description: 'A new user.',
  fields: (t) => ({
    user: t.expose('user', { type: UserRef, description: 'The new user.' }),
    replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
  }),
});

const UserPayload = mutationPayload<{ user: User }>('UserPayload', {
  description: 'Result of changing a user.',
  fields: (t) => ({
    user: t.expose('user', { type: UserRef, description: 'The user as they are now.' }),
  }),
});

mutation('createUser', {
  description: 'Creates a user of your domain. Needs the permission DOMAIN_ADMIN.',
  input: CreateUserInput,
  inputIs: 'The user.',
  payload: CreateUserPayload,
  failures: [ValidationError, ForbiddenError, IdempotencyError],
  resolve: (input, ctx) => createUser(signedIn(ctx), input),
});

mutation('updateUser', {
  description:
    'Changes a user of your domain; it applies to their next request. The last administrator stays one. Needs the permission DOMAIN_ADMIN.',
  input: UpdateUserInput,
  inputIs: 'The change.',
  payload: UserPayload,
  failures: [NotFoundError, ValidationError, ForbiddenError],
  resolve: async ({ userId, ...input }, ctx) => ({
    user: await updateUser(signedIn(ctx), { ...input, userId: decodeUserId(userId) }),
  }),
});

mutation('disableUser', {
  description:
    'Disables a user of your domain: sessions, subscriptions and calendar addresses end at once. The last administrator stays enabled. Needs the permission DOMAIN_ADMIN.',
  input: UserIdInput,
  inputIs: 'The user.',
  payload: UserPayload,
  failures: [NotFoundError, ValidationError, ForbiddenError],
  resolve: async ({ userId }, ctx) => ({
    user: await disableUser(signedIn(ctx), { userId: decodeUserId(userId) }),
  }),
});

mutation('enableUser', {
  description:
    'Lets a disabled user of your domain sign in again; what ended stays ended. Needs the permission DOMAIN_ADMIN.',
  input: UserIdInput,
  inputIs: 'The user.',
  payload: UserPayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async ({ userId }, ctx) => ({
    user: await enableUser(signedIn(ctx), { userId: decodeUserId(userId) }),
  }),
});
