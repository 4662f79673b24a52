import { signedIn } from '../../../auth/guards.ts';
import { builder } from '../../../core/graphql/builder.ts';
import type { Context } from '../../../core/context/context.ts';
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

type Sent = string | null | undefined;

const CalendarSubscriptionRef = builder
  .objectRef<CalendarSubscription>('CalendarSubscription')
  .implement({
    description:
      'A secret address under which a calendar program reads feeds. The address itself was shown once.',
    fields: (t) => ({
      subscriptionId: t.exposeID('id', { description: 'What revokeCalendarSubscription takes.' }),
      timeZone: t.exposeString('timeZone', { description: 'IANA zone of the calendar.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was made.',
        resolve: (subscription) => subscription.createdAt.toISOString(),
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

const CreateInput = builder.inputType('CreateCalendarSubscriptionInput', {
  description: 'What the calendar shows.',
  fields: (t) => ({
    filter: t.field({
      type: FeedFilterInput,
      description: 'Which feeds; your view when left out.',
    }),
    timeZone: t.string({ description: "IANA zone; your session's when left out." }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: 'Returned as it was sent.' }),
  }),
});

const CreatePayload = builder
  .objectRef<{ icsUrl: string | null; subscriptionId: string; clientMutationId: Sent }>(
    'CreateCalendarSubscriptionPayload',
  )
  .implement({
    description: 'A new subscription.',
    fields: (t) => ({
      icsUrl: t.expose('icsUrl', {
        type: 'URL',
        nullable: true,
        description:
          'Secret address for a calendar program: whoever has it reads the calendar. Shown once and never stored, so null in a replay: revoke the subscription then, and make another.',
      }),
      subscriptionId: t.exposeID('subscriptionId', {
        description: 'What revokeCalendarSubscription takes.',
      }),
      replayed: t.boolean({ description: replayedByKey, resolve: ({ icsUrl }) => icsUrl === null }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'As it was sent.',
      }),
    }),
  });

builder.mutationField('createCalendarSubscription', (t) =>
  t.field({
    type: CreatePayload,
    description:
      'Makes a secret iCalendar address of the feeds of a filter, for calendar programs. REST: GET /calendar/{token}.ics.',
    errors: {
      types: [ValidationError, IdempotencyError],
      union: {
        name: 'CreateCalendarSubscriptionResult',
        description: 'Outcome of createCalendarSubscription.',
      },
    },
    args: { input: t.arg({ type: CreateInput, required: true, description: 'Filter and zone.' }) },
    resolve: async (_, { input }, ctx: Context) => {
      const { token, subscriptionId } = await createCalendarSubscription(signedIn(ctx), input);
      return {
        icsUrl: token === null ? null : `${ctx.baseUrl}/calendar/${token}.ics`,
        subscriptionId,
        clientMutationId: input.clientMutationId,
      };
    },
  }),
);

const RevokeInput = builder.inputType('RevokeCalendarSubscriptionInput', {
  description: 'A subscription that shall end.',
  fields: (t) => ({
    subscriptionId: t.id({ required: true, description: 'The subscription.' }),
    clientMutationId: t.string({ description: 'Returned as it was sent.' }),
  }),
});

const RevokePayload = builder
  .objectRef<{ subscriptionId: string; clientMutationId: Sent }>(
    'RevokeCalendarSubscriptionPayload',
  )
  .implement({
    description: 'The address answers 404 from now on.',
    fields: (t) => ({
      subscriptionId: t.exposeID('subscriptionId', { description: 'The subscription that ended.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'As it was sent.',
      }),
    }),
  });

builder.mutationField('revokeCalendarSubscription', (t) =>
  t.field({
    type: RevokePayload,
    description: 'Ends a subscription of yours at once.',
    errors: {
      types: [NotFoundError],
      union: {
        name: 'RevokeCalendarSubscriptionResult',
        description: 'Outcome of revokeCalendarSubscription.',
      },
    },
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'The subscription.' }) },
    resolve: async (_, { input }, ctx: Context) => {
      await revokeCalendarSubscription(signedIn(ctx), input);
      return { subscriptionId: input.subscriptionId, clientMutationId: input.clientMutationId };
    },
  }),
);
