import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { decodeUserId } from '../users/decode-user-id.ts';
import { UserIdInput } from '../users/schema-inputs.ts';
import { UserRef } from '../users/schema.ts';
import { changePassword } from './change-password.ts';
import type { OneTimePassword } from './issue-one-time-password.ts';
import { setOneTimePassword } from './set-one-time-password.ts';

const SetOneTimePasswordPayload = mutationPayload<OneTimePassword>('SetOneTimePasswordPayload', {
  description: 'A password for one sign-in.',
  fields: (t) => ({
    password: t.exposeString('password', {
      description: 'Shown once. The sign-in with it needs a new password, too.',
    }),
    user: t.expose('user', { type: UserRef, description: 'The user as they are now.' }),
  }),
});

mutation('setOneTimePassword', {
  description:
    'Gives a user of your domain a password that works for seven days and has to be replaced at the first sign-in; the sessions of the user end. Needs the permission DOMAIN_ADMIN.',
  input: UserIdInput,
  inputIs: 'The user.',
  payload: SetOneTimePasswordPayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: ({ userId }, ctx) => setOneTimePassword(signedIn(ctx), { userId: decodeUserId(userId) }),
});

const ChangePasswordInput = mutationInput('ChangePasswordInput', {
  description: 'Your old and your new password.',
  fields: (t) => ({
    oldPassword: t.string({ required: true, description: 'The password that you have.' }),
    newPassword: t.string({
      required: true,
      description:
        'The password to use from now on: 12 to 256 characters, none of those that many people use.',
    }),
  }),
});

const ChangePasswordPayload = mutationPayload('ChangePasswordPayload', {
  description: 'The new password holds; your other sessions have ended.',
});

mutation('changePassword', {
  description:
    'Changes your password and ends your other sessions. Each change counts as a sign-in, one with a wrong old password as a failed one: after too many of them, the error RATE_LIMITED.',
  input: ChangePasswordInput,
  inputIs: 'The passwords.',
  payload: ChangePasswordPayload,
  failures: [ValidationError],
  resolve: async (input, ctx) => {
    const caller = signedIn(ctx);
    await ctx.callLimits.takeFrom(ctx.remoteAddress, 'signIns');
    await changePassword(caller, input);
    return {};
  },
});
