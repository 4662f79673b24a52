import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Context } from '../../core/context/context.ts';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { decodeFeedId } from './feed-id.ts';
import { UserError } from '../../core/graphql/user-errors.ts';
import { changeFeedStatus, InvalidTransitionError } from './change-feed-status.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { loadFeed } from './load-feeds.ts';
import { FeedRef } from './schema-feed.ts';
import { FeedStatusEnum } from '../terms/schema.ts';
import { setFeedState } from './set-feed-state.ts';
import { costs } from '../../core/graphql/field-cost.ts';

builder.objectType(InvalidTransitionError, {
  name: 'InvalidTransitionError',
  description: "The feed can't change from its status to the requested one (D-51).",
  interfaces: [UserError],
  fields: (t) => ({
    from: t.expose('from', {
      type: FeedStatusEnum,
      description: 'Current stored status of the feed.',
    }),
    to: t.expose('to', { type: FeedStatusEnum, description: 'Requested status.' }),
  }),
});

const clientMutationId = 'The value from the input.';

const SetFeedStateInput = builder.inputType('SetFeedStateInput', {
  description:
    'The new values of flags; repeating a call changes nothing. Omit a field to leave it unchanged.',
  fields: (t) => ({
    feedIds: t.idList({ required: true, description: 'Up to 100 feeds.' }),
    pinned: t.boolean({ description: 'REST: pin.' }),
    favorite: t.boolean({ description: 'REST: favorite_flag.' }),
    follow: t.boolean({ description: 'REST: follow.' }),
    acknowledged: t.boolean({ description: 'REST: acknowledged_flag.' }),
    watched: t.boolean({ description: 'REST: watch_flag.' }),
    promotedToNote: t.boolean({ description: 'REST: promote_to_note_flag.' }),
    clientMutationId: t.string({ description: 'Returned unchanged in the payload.' }),
  }),
});

interface FeedStateItem {
  feedId: string;
  feedKey: number | undefined;
}

const FeedStateItemRef = builder.objectRef<FeedStateItem>('FeedStateItem').implement({
  description: 'Result for one feed.',
  fields: (t) => ({
    feedId: t.exposeID('feedId', { description: 'The id that was sent.' }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description: 'The feed as it is now.',
      resolve: (item, _, ctx) =>
        item.feedKey === undefined ? null : loadFeed(signedIn(ctx), item.feedKey),
    }),
    error: t.field({
      type: NotFoundError,
      nullable: true,
      description: 'Set when there is no such feed that you may see.',
      resolve: (item) => (item.feedKey === undefined ? asValue(new NotFoundError('Feed')) : null),
    }),
  }),
});

/** The error as a plain object: graphql-js would throw an error that a field returns. */
function asValue({
  name,
  message,
  code,
  graphqlCode,
  status,
  headers,
  entity,
}: NotFoundError): NotFoundError {
  return { name, message, code, graphqlCode, status, headers, entity };
}

const SetFeedStatePayload = builder
  .objectRef<{ results: FeedStateItem[]; clientMutationId: string | null | undefined }>(
    'SetFeedStatePayload',
  )
  .implement({
    description: 'One result per id, in the order of the input.',
    fields: (t) => ({
      results: t.expose('results', {
        type: [FeedStateItemRef],
        extensions: costs({ rowsOf: 'input.feedIds' }),
        description: 'Result of setting flags.',
      }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: clientMutationId,
      }),
    }),
  });

builder.mutationField('setFeedState', (t) =>
  t.field({
    type: SetFeedStatePayload,
    description:
      'Sets your own flags on feeds: pin, favorite, follow, acknowledge, watch, promote to note.',
    errors: {
      types: [ValidationError, ForbiddenError],
      union: { name: 'SetFeedStateResult', description: 'Outcome of setFeedState.' },
    },
    args: {
      input: t.arg({ type: SetFeedStateInput, required: true, description: 'Feeds and flags.' }),
    },
    resolve: async (_, { input }, ctx: Context) => {
      const { feedIds, clientMutationId: id, ...flags } = input;
      const keys = feedIds.map((feedId) => ({ feedId, feedKey: decodeFeedId(feedId) }));
      const change = Object.fromEntries(
        Object.entries(flags).filter(([, value]) => value !== null),
      );
      const done = await setFeedState(signedIn(ctx), {
        feedKeys: keys.flatMap(({ feedKey }) => feedKey ?? []),
        change,
      });
      return {
        results: keys.map(({ feedId, feedKey }) => ({
          feedId,
          feedKey: feedKey !== undefined && done.has(feedKey) ? feedKey : undefined,
        })),
        clientMutationId: id,
      };
    },
  }),
);

const ChangeFeedStatusInput = builder.inputType('ChangeFeedStatusInput', {
  description: 'A feed and its new status.',
  fields: (t) => ({
    feedId: t.id({ required: true, description: 'Global id of the feed.' }),
    status: t.field({ type: FeedStatusEnum, required: true, description: 'The new status.' }),
    expectedVersion: t.int({ description: 'Fails if the feed has another version.' }),
    clientMutationId: t.string({ description: 'Returned unchanged in the payload.' }),
  }),
});

const ChangeFeedStatusPayload = builder
  .objectRef<{ feed: FeedRow; clientMutationId: string | null | undefined }>(
    'ChangeFeedStatusPayload',
  )
  .implement({
    description: "Result of changing a feed's status.",
    fields: (t) => ({
      feed: t.expose('feed', { type: FeedRef, description: 'The feed as it is now.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: clientMutationId,
      }),
    }),
  });

builder.mutationField('changeFeedStatus', (t) =>
  t.field({
    type: ChangeFeedStatusPayload,
    description: 'Moves a feed along NEW → REVIEWED → IN_PROGRESS → COMPLETED, or force-closes it.',
    errors: {
      types: [InvalidTransitionError, NotFoundError, ConflictError, ForbiddenError],
      union: { name: 'ChangeFeedStatusResult', description: 'Outcome of changeFeedStatus.' },
    },
    args: {
      input: t.arg({
        type: ChangeFeedStatusInput,
        required: true,
        description: 'Feed and status.',
      }),
    },
    resolve: async (_, { input }, ctx: Context) => {
      const feedKey = decodeFeedId(input.feedId);
      if (feedKey === undefined) throw new NotFoundError('Feed');
      return {
        feed: await changeFeedStatus(signedIn(ctx), { ...input, feedKey }),
        clientMutationId: input.clientMutationId,
      };
    },
  }),
);
