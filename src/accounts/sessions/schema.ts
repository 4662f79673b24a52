import { enterSession, signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { signInWithToken, type BegunSession } from '../oidc/sign-in-with-token.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerRef,
    description:
      'The signed-in user, with everything that the user may see. Without a session, the error UNAUTHENTICATED.',
    resolve: (_, __, ctx) => signedIn(ctx).viewer,
  }),
);

const SignInInput = mutationInput('SignInInput', {
  description: 'Credentials for signing in.',
  fields: (t) => ({
    login: t.string({ required: true, description: 'Login name, as the administrator gave it.' }),
    password: t.string({
      required: true,
      description: 'Password in plain text; it is compared with a hash and never stored.',
    }),
    newPassword: t.string({
      description:
        'Replaces the password; required with a one-time password. 12 to 256 characters, none of the passwords that many people use. Other sessions end. REST: new_password.',
    }),
  }),
});

const SignInPayload = mutationPayload<BegunSession>('SignInPayload', {
  description: 'A new session.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'Token of the session, shown once: send it as X-service-csrf-token-X or as a bearer token. REST: token.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session ends if it is not used until then. REST: expires_at.',
    }),
    viewer: t.expose('viewer', { type: ViewerRef, description: 'The signed-in user.' }),
  }),
});

const SignOutPayload = builder.objectRef<{ signedOut: boolean }>('SignOutPayload').implement({
  description: 'Result of signing out.',
  fields: (t) => ({
    signedOut: t.exposeBoolean('signedOut', {
      description: 'Always true: the token is no longer valid.',
    }),
  }),
});

mutation('signIn', {
  description:
    'Signs in with login and password; needs no session. A wrong login or password gives the top-level error UNAUTHENTICATED, always with the same text; a one-time password without a new one, the error PASSWORD_CHANGE_REQUIRED; where passwords are switched off, PASSWORD_SIGN_IN_OFF. REST: POST /session.',
  input: SignInInput,
  inputIs: 'Login and password.',
  payload: SignInPayload,
  resolve: async (input, ctx) => {
    await ctx.callLimits.takeFrom(ctx.remoteAddress, 'signIns');
    const session = await signIn(ctx, input);
    enterSession(ctx, session);
    return session;
  },
});

const SignInWithTokenInput = mutationInput('SignInWithTokenInput', {
  description: 'What a provider says of you.',
  fields: (t) => ({
    idToken: t.string({
      required: true,
      description:
        'ID token (JWT) that an OpenID provider of this gateway issued within the last ten minutes. It works once. REST: id_token.',
    }),
  }),
});

mutation('signInWithToken', {
  description:
    'Signs in with the ID token of a provider; needs no session. A token that is not accepted gives the top-level error UNAUTHENTICATED; SERVICE_UNAVAILABLE while the provider does not answer. REST: POST /session.',
  input: SignInWithTokenInput,
  inputIs: 'The token.',
  payload: SignInPayload,
  resolve: async (input, ctx) => {
    await ctx.callLimits.takeFrom(ctx.remoteAddress, 'signIns');
    const session = await signInWithToken(ctx, input);
    enterSession(ctx, session);
    return session;
  },
});

builder.mutationField('signOut', (t) =>
  t.field({
    type: SignOutPayload,
    description: 'Revokes the session of this request at once. REST: DELETE /session.',
    resolve: async (_, __, ctx) => {
      await signOut(signedIn(ctx));
      return { signedOut: true };
    },
  }),
);
