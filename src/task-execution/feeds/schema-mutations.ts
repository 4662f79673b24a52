import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { decodeFeedId } from './feed-id.ts';
import { UserError, onlyVersion } from '../../core/graphql/user-errors.ts';
import { changeFeedStatus, InvalidTransitionError } from './change-feed-status.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { loadFeed } from './load-feeds.ts';
import { FeedRef } from './schema-feed.ts';
import { FeedStatusEnum } from '../terms/schema.ts';
import { selectedFields } from './selected-fields.ts';
import { setFeedState } from './set-feed-state.ts';
import { costs } from '../../core/graphql/field-cost.ts';

builder.objectType(InvalidTransitionError, {
  name: 'InvalidTransitionError',
  description: "The feed can't change from its status to the requested one: see changeFeedStatus.",
  interfaces: [UserError],
  fields: (t) => ({
    from: t.expose('from', {
      type: FeedStatusEnum,
      description: 'Status of the feed as it is stored, which is never OVERDUE.',
    }),
    to: t.expose('to', { type: FeedStatusEnum, description: 'Status that was requested.' }),
  }),
});

const SetFeedStateInput = mutationInput('SetFeedStateInput', {
  description:
    'The new values of flags; repeating a call changes nothing. Omit a field to leave it unchanged.',
  fields: (t) => ({
    feedIds: t.idList({ required: true, description: 'Global ids of the feeds, at most 100.' }),
    pinned: t.boolean({ description: 'Whether the feeds are to be pinned. REST: pin.' }),
    favorite: t.boolean({
      description: 'Whether they are to be favourites. REST: favorite_flag.',
    }),
    follow: t.boolean({ description: 'Whether you want to follow them. REST: follow.' }),
    acknowledged: t.boolean({
      description: 'Whether they are to be acknowledged. REST: acknowledged_flag.',
    }),
    watched: t.boolean({
      description: 'Whether you want to watch them. REST: watch_flag.',
    }),
    promotedToNote: t.boolean({
      description: 'Whether they are to be promoted to calendar notes. REST: promote_to_note_flag.',
    }),
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
      description: 'The feed as it is now; null if there is no such feed that you may see.',
      resolve: (item, _, ctx) =>
        item.feedKey === undefined ? null : loadFeed(signedIn(ctx), item.feedKey),
    }),
    error: t.field({
      type: NotFoundError,
      nullable: true,
      description: 'Why there is no feed; null if there is one.',
      resolve: (item) => (item.feedKey === undefined ? asValue(new NotFoundError('Feed')) : null),
    }),
  }),
});

/** The error as a plain object: graphql-js would throw an error that a field returns. */
function asValue({
  name,
  message,
  inGraphQL,
  code,
  graphqlCode,
  status,
  headers,
  entity,
}: NotFoundError): NotFoundError {
  return { name, message, inGraphQL, code, graphqlCode, status, headers, entity };
}

const SetFeedStatePayload = mutationPayload<{ results: FeedStateItem[] }>('SetFeedStatePayload', {
  description: 'Result of setting flags.',
  fields: (t) => ({
    results: t.expose('results', {
      type: [FeedStateItemRef],
      extensions: costs({ rowsOf: 'input.feedIds' }),
      description: 'Results of setting the flags, one per id, in the order of the input.',
    }),
  }),
});

mutation('setFeedState', {
  description:
    'Sets your own flags on feeds: pin, favorite, follow, acknowledge, watch, promote to note.',
  input: SetFeedStateInput,
  inputIs: 'Feeds and flags.',
  payload: SetFeedStatePayload,
  failures: [ValidationError, ForbiddenError],
  resolve: async ({ feedIds, ...flags }, ctx, info) => {
    const keys = feedIds.map((feedId) => ({ feedId, feedKey: decodeFeedId(feedId) }));
    const change = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== null));
    const done = await setFeedState(signedIn(ctx), {
      feedKeys: keys.map(({ feedKey }) => feedKey),
      change,
      thenReads: selectedFields(info, ['results']).has('feed'),
    });
    return {
      results: keys.map(({ feedId, feedKey }) => ({
        feedId,
        feedKey: feedKey !== undefined && done.has(feedKey) ? feedKey : undefined,
      })),
    };
  },
});

const ChangeFeedStatusInput = mutationInput('ChangeFeedStatusInput', {
  description: 'A feed and its new status.',
  fields: (t) => ({
    feedId: t.id({ required: true, description: 'Global id of the feed.' }),
    status: t.field({ type: FeedStatusEnum, required: true, description: 'The new status.' }),
    expectedVersion: t.int({ description: onlyVersion }),
  }),
});

const ChangeFeedStatusPayload = mutationPayload<{ feed: FeedRow }>('ChangeFeedStatusPayload', {
  description: "Result of changing a feed's status.",
  fields: (t) => ({
    feed: t.expose('feed', { type: FeedRef, description: 'The feed as it is now.' }),
  }),
});

mutation('changeFeedStatus', {
  description:
    'Moves a feed along NEW → REVIEWED → IN_PROGRESS → COMPLETED, or force-closes it. With the permission REOPEN_FEED also from where it has ended back to IN_PROGRESS.',
  input: ChangeFeedStatusInput,
  inputIs: 'Feed and status.',
  payload: ChangeFeedStatusPayload,
  failures: [InvalidTransitionError, NotFoundError, ConflictError, ForbiddenError],
  resolve: async (input, ctx) => {
    const feedKey = decodeFeedId(input.feedId);
    if (feedKey === undefined) throw new NotFoundError('Feed');
    return { feed: await changeFeedStatus(signedIn(ctx), { ...input, feedKey }) };
  },
});
