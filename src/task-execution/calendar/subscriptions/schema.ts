import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../../core/graphql/mutations.ts';
import { IdempotencyError, NotFoundError, ValidationError } from '../../../core/errors.ts';
import { onceADay, replayedByKey } from '../../../core/graphql/user-errors.ts';
import { ViewerRef } from '../../../core/graphql/viewer-type.ts';
import { FeedFilterInput } from '../../feeds/schema-inputs.ts';
import { createCalendarSubscription } from './create-calendar-subscription.ts';
import {
  listCalendarSubscriptions,
  type CalendarSubscription,
} from './list-calendar-subscriptions.ts';
import { revokeCalendarSubscription } from './revoke-calendar-subscription.ts';
import { costs } from '../../../core/graphql/field-cost.ts';

const CalendarSubscriptionRef = builder
  .objectRef<CalendarSubscription>('CalendarSubscription')
  .implement({
    description:
      'A secret URL from which a calendar program reads feeds. The URL itself is shown only once.',
    fields: (t) => ({
      subscriptionId: t.exposeID('id', {
        description: 'Id of the subscription, for revokeCalendarSubscription.',
      }),
      timeZone: t.exposeString('timeZone', {
        description: 'IANA time zone of the calendar, e.g. Europe/Berlin.',
      }),
      createdAt: t.expose('createdAt', {
        type: 'DateTime',
        description: 'When it was created.',
      }),
    }),
  });

builder.objectField(ViewerRef, 'calendarSubscriptions', (t) =>
  t.field({
    type: [CalendarSubscriptionRef],
    extensions: costs({ rows: 50 }),
    description: 'Your iCalendar subscriptions that are not revoked, newest first.',
    resolve: (_, __, ctx) => listCalendarSubscriptions(signedIn(ctx)),
  }),
);

const CreateInput = mutationInput('CreateCalendarSubscriptionInput', {
  description: 'What the calendar shows.',
  fields: (t) => ({
    filter: t.field({
      type: FeedFilterInput,
      description: 'Which feeds to show; by default those of your view.',
    }),
    timeZone: t.string({
      description:
        'IANA time zone of the calendar, e.g. Europe/Berlin; by default that of your session.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});

const CreatePayload = mutationPayload<{ icsUrl: string | null; subscriptionId: string }>(
  'CreateCalendarSubscriptionPayload',
  {
    description: 'A new subscription.',
    fields: (t) => ({
      icsUrl: t.expose('icsUrl', {
        type: 'URL',
        nullable: true,
        description:
          'Secret URL for a calendar program: anybody who has it can read the calendar. It is shown once and never stored, so it is null in a replay; then revoke the subscription and create another.',
      }),
      subscriptionId: t.exposeID('subscriptionId', {
        description: 'Id of the subscription, for revokeCalendarSubscription.',
      }),
      replayed: t.boolean({ description: replayedByKey, resolve: ({ icsUrl }) => icsUrl === null }),
    }),
  },
);

mutation('createCalendarSubscription', {
  description:
    'Creates a secret iCalendar URL with the feeds of a filter, for calendar programs. REST: GET /calendar/{token}.ics.',
  input: CreateInput,
  inputIs: 'Filter and zone.',
  payload: CreatePayload,
  failures: [ValidationError, IdempotencyError],
  resolve: async (input, ctx) => {
    const { token, subscriptionId } = await createCalendarSubscription(signedIn(ctx), input);
    return {
      icsUrl: token === null ? null : `${ctx.baseUrl}/calendar/${token}.ics`,
      subscriptionId,
    };
  },
});

const RevokeInput = mutationInput('RevokeCalendarSubscriptionInput', {
  description: 'The subscription to end.',
  fields: (t) => ({
    subscriptionId: t.id({ required: true, description: 'Id of the subscription to end.' }),
  }),
});

const RevokePayload = mutationPayload<{ subscriptionId: string }>(
  'RevokeCalendarSubscriptionPayload',
  {
    description: 'Result of revoking a subscription: its URL now answers 404.',
    fields: (t) => ({
      subscriptionId: t.exposeID('subscriptionId', {
        description: 'Id of the subscription that ended.',
      }),
    }),
  },
);

mutation('revokeCalendarSubscription', {
  description: 'Ends one of your subscriptions at once.',
  input: RevokeInput,
  inputIs: 'The subscription.',
  payload: RevokePayload,
  failures: [NotFoundError],
  resolve: async (input, ctx) => {
    await revokeCalendarSubscription(signedIn(ctx), input);
    return { subscriptionId: input.subscriptionId };
  },
});
