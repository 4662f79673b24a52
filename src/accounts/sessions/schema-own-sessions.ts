import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { NotFoundError } from '../../core/errors.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { epochMillis } from '../../core/time/instant-text.ts';
import { endSession } from './end-session.ts';
import { listSessions, type OwnSession } from './list-sessions.ts';

const SessionRef = builder.objectRef<OwnSession>('Session').implement({
  description: 'A session of yours. Its token is never shown again.',
  fields: (t) => ({
    sessionId: t.exposeID('id', { description: 'Id of the session, for endSession.' }),
    current: t.exposeBoolean('current', {
      description: 'Whether it is the session of this request.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When you signed in.',
      resolve: ({ createdAt }) => new Date(epochMillis(createdAt)).toISOString(),
    }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description: 'Last use, to the minute.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it ends if it is not used until then.',
    }),
  }),
});

const { connection: SessionConnection } = connectionType('Session', SessionRef);

builder.objectField(ViewerRef, 'sessions', (t) =>
  t.connection(
    {
      type: SessionRef,
      description: 'Your sessions that have not ended, the latest first; by default 20 per page.',
      resolve: (_, args, ctx) =>
        relayPage(listSessions(signedIn(ctx), pageFromConnectionArgs(args))),
    },
    SessionConnection,
  ),
);

const EndSessionInput = mutationInput('EndSessionInput', {
  description: 'The session to end.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of a session of yours.' }),
  }),
});

const EndSessionPayload = mutationPayload<{ endedId: string }>('EndSessionPayload', {
  description: 'Result of ending a session: its token and its subscriptions have ended.',
  fields: (t) => ({
    endedId: t.exposeID('endedId', { description: 'Id of the session.' }),
  }),
});

mutation('endSession', {
  description: 'Ends a session of yours at once, for example on a device that was lost.',
  input: EndSessionInput,
  inputIs: 'The session.',
  payload: EndSessionPayload,
  failures: [NotFoundError],
  resolve: async (input, ctx) => {
    await endSession(signedIn(ctx), input);
    return { endedId: input.sessionId };
  },
});
