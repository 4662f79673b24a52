import { enterSession, signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerRef,
    description:
      'Who is signed in, and all that is theirs. Without a session: error UNAUTHENTICATED.',
    resolve: (_, __, ctx) => signedIn(ctx).viewer,
  }),
);

const SignInInput = builder.inputType('SignInInput', {
  description: 'Who wants to sign in.',
  fields: (t) => ({
    login: t.string({ required: true, description: 'Login name, as the administrator gave it.' }),
    password: t.string({
      required: true,
      description: 'Password in plain text; it is compared with a hash and never kept.',
    }),
    clientMutationId: t.string({ description: 'Returned as it was sent.' }),
  }),
});

interface SignIn {
  token: string;
  expiresAt: Date;
  viewer: Viewer;
  clientMutationId: string | null | undefined;
}

const SignInPayload = builder.objectRef<SignIn>('SignInPayload').implement({
  description: 'A new session.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'Shown once; send it as X-service-csrf-token-X or as a bearer token.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'End of the session unless it is used before.',
      resolve: ({ expiresAt }) => expiresAt.toISOString(),
    }),
    viewer: t.expose('viewer', { type: ViewerRef, description: 'Who signed in.' }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'As it was sent.',
    }),
  }),
});

const SignOutPayload = builder.objectRef<{ signedOut: boolean }>('SignOutPayload').implement({
  description: 'The session of this request has ended.',
  fields: (t) => ({
    signedOut: t.exposeBoolean('signedOut', {
      description: 'Always true: the token is worth nothing any more.',
    }),
  }),
});

builder.mutationField('signIn', (t) =>
  t.field({
    type: SignInPayload,
    description:
      'The one operation that needs no session. Wrong login or password is a top-level error UNAUTHENTICATED with one text.',
    args: {
      input: t.arg({ type: SignInInput, required: true, description: 'Login and password.' }),
    },
    resolve: async (_, { input }, ctx) => {
      const session = await signIn(ctx, input);
      enterSession(ctx, session.viewer);
      return { ...session, clientMutationId: input.clientMutationId };
    },
  }),
);

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
