import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation } from '../../core/graphql/mutations.ts';
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

interface Changed {
  user: User;
  clientMutationId: string | null | undefined;
}

const asSent = 'The value from the input.';

const CreateUserPayload = builder
  .objectRef<Changed & { replayed: boolean }>('CreateUserPayload')
  .implement({
    description: 'A new user.',
    fields: (t) => ({
      user: t.expose('user', { type: UserRef, description: 'The new user.' }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });

const UserPayload = builder.objectRef<Changed>('UserPayload').implement({
  description: 'Result of changing a user.',
  fields: (t) => ({
    user: t.expose('user', { type: UserRef, description: 'The user as they are now.' }),
    clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
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
