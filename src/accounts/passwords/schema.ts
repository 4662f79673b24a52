import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import '../../core/graphql/user-errors.ts';
import { decodeUserId } from '../users/decode-user-id.ts';
import { UserIdInput } from '../users/schema-inputs.ts';
import { UserRef } from '../users/schema.ts';
import { changePassword } from './change-password.ts';
import type { OneTimePassword } from './issue-one-time-password.ts';
import { setOneTimePassword } from './set-one-time-password.ts';

interface Sent {
  clientMutationId: string | null | undefined;
}

const SetOneTimePasswordPayload = builder
  .objectRef<OneTimePassword & Sent>('SetOneTimePasswordPayload')
  .implement({
    description: 'A password for one sign-in.',
    fields: (t) => ({
      password: t.exposeString('password', {
        description: 'Shown once. The sign-in with it needs a new password, too.',
      }),
      user: t.expose('user', { type: UserRef, description: 'The user as they are now.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'The value from the input.',
      }),
    }),
  });

builder.mutationField('setOneTimePassword', (t) =>
  t.field({
    type: SetOneTimePasswordPayload,
    description:
      'Gives a user of your domain a password that works for seven days and has to be replaced at the first sign-in; the sessions of the user end. Needs the permission DOMAIN_ADMIN.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'SetOneTimePasswordResult', description: 'Outcome of setOneTimePassword.' },
    },
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: async (_, { input: { userId, clientMutationId } }, ctx) => ({
      ...(await setOneTimePassword(signedIn(ctx), { userId: decodeUserId(userId) })),
      clientMutationId,
    }),
  }),
);

const ChangePasswordInput = builder.inputType('ChangePasswordInput', {
  description: 'Your old and your new password.',
  fields: (t) => ({
    oldPassword: t.string({ required: true, description: 'The password that you have.' }),
    newPassword: t.string({
      required: true,
      description:
        'The password to use from now on: 12 to 256 characters, none of those that many people use.',
    }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const ChangePasswordPayload = builder.objectRef<Sent>('ChangePasswordPayload').implement({
  description: 'The new password holds; your other sessions have ended.',
  fields: (t) => ({
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'The value from the input.',
    }),
  }),
});

builder.mutationField('changePassword', (t) =>
  t.field({
    type: ChangePasswordPayload,
    description:
      'Changes your password and ends your other sessions. A wrong old password counts as a failed sign-in: after too many of them, the error RATE_LIMITED.',
    errors: {
      types: [ValidationError],
      union: { name: 'ChangePasswordResult', description: 'Outcome of changePassword.' },
    },
    args: {
      input: t.arg({ type: ChangePasswordInput, required: true, description: 'The passwords.' }),
    },
    resolve: async (_, { input: { clientMutationId, ...input } }, ctx) => {
      await changePassword(signedIn(ctx), input);
      return { clientMutationId };
    },
  }),
);
