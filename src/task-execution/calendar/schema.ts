import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { FeedOrderInput } from '../feeds/schema-inputs.ts';
import { readCalendar } from './read-calendar.ts';
import { CalendarFilterInput, CalendarLayoutEnum, CalendarSourceEnum } from './schema-inputs.ts';
import { CalendarResultRef } from './schema-results.ts';

builder.objectField(ViewerRef, 'calendar', (t) =>
  t.field({
    type: CalendarResultRef,
    extensions: costs({ weight: 100 }),
    description:
      'Calendar and Gantt data of a range of at most 1,096 days. REST: /task/v1/calendar.',
    args: {
      source: t.arg({ type: CalendarSourceEnum, required: true, description: 'REST: source_id.' }),
      from: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'First day. REST: from_date.',
      }),
      to: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'Last day, inclusive. REST: to_date.',
      }),
      layout: t.arg({
        type: CalendarLayoutEnum,
        defaultValue: 'M',
        description: 'REST: cal_layout.',
      }),
      filter: t.arg({ type: CalendarFilterInput, description: 'Filter of the calendar.' }),
      filterId: t.arg.id({
        description:
          'A system filter, applied in addition, which also sets the layout. REST: filter_id.',
      }),
      orderBy: t.arg({
        type: [FeedOrderInput],
        description: 'Only for CALENDAR and STORE_PROJECTS. REST: sort_by, sort_order.',
      }),
    },
    resolve: (_, args, ctx) => readCalendar(signedIn(ctx), args),
  }),
);
