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
      source: t.arg({
        type: CalendarSourceEnum,
        required: true,
        description: 'Which calendar to show. REST: source_id.',
      }),
      from: t.arg({
        type: 'LocalDate',
        required: true,
        description: "First day, in the session's time zone. REST: from_date.",
      }),
      to: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'Last day, inclusive. REST: to_date.',
      }),
      layout: t.arg({
        type: CalendarLayoutEnum,
        defaultValue: 'M',
        description:
          'Layout of the calendar; PINBOARD shows only pinned feeds, the others all. REST: cal_layout.',
      }),
      filter: t.arg({
        type: CalendarFilterInput,
        description: 'Which items to show; by default all of your current view.',
      }),
      filterId: t.arg.id({
        description:
          'Id of a system filter, which is applied in addition and sets the layout; ignored if there is none of that id. REST: filter_id.',
      }),
      orderBy: t.arg({
        type: [FeedOrderInput],
        description:
          'Columns of the order, most significant first; only for CALENDAR, by default the configured order, and STORE_PROJECTS, by default by date. REST: sort_by, sort_order.',
      }),
    },
    resolve: (_, args, ctx) => readCalendar(signedIn(ctx), args),
  }),
);
