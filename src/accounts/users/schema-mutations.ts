import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
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

builder.mutationField('createUser', (t) =>
  t.field({
    type: CreateUserPayload,
    description: 'Creates a user of your domain. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [ValidationError, ForbiddenError, IdempotencyError],
      union: { name: 'CreateUserResult', description: 'Outcome of createUser.' },
    },
    args: { input: t.arg({ type: CreateUserInput, required: true, description: 'The user.' }) },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => ({
      ...(await createUser(signedIn(ctx), input)),
      clientMutationId,
    }),
  }),
);

builder.mutationField('updateUser', (t) =>
  t.field({
    type: UserPayload,
    description:
      'Changes a user of your domain; it applies to their next request. The last administrator stays one. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ValidationError, ForbiddenError],
      union: { name: 'UpdateUserResult', description: 'Outcome of updateUser.' },
    },
    args: { input: t.arg({ type: UpdateUserInput, required: true, description: 'The change.' }) },
    resolve: async (_, { input: { clientMutationId, userId, ...input } }, ctx) => ({
      user: await updateUser(signedIn(ctx), { ...input, userId: decodeUserId(userId) }),
      clientMutationId,
    }),
  }),
);

builder.mutationField('disableUser', (t) =>
  t.field({
    type: UserPayload,
    description:
      'Disables a user of your domain: sessions, subscriptions and calendar addresses end at once. The last administrator stays enabled. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ValidationError, ForbiddenError],
      union: { name: 'DisableUserResult', description: 'Outcome of disableUser.' },
    },
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: async (_, { input: { clientMutationId, userId } }, ctx) => ({
      user: await disableUser(signedIn(ctx), { userId: decodeUserId(userId) }),
      clientMutationId,
    }),
  }),
);

builder.mutationField('enableUser', (t) =>
  t.field({
    type: UserPayload,
    description:
      'Lets a disabled user of your domain sign in again; what ended stays ended. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'EnableUserResult', description: 'Outcome of enableUser.' },
    },
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: async (_, { input: { clientMutationId, userId } }, ctx) => ({
      user: await enableUser(signedIn(ctx), { userId: decodeUserId(userId) }),
      clientMutationId,
    }),
  }),
);
