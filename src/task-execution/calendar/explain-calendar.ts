import { ParameterReader } from '../../core/rest/parameters.ts';
import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { RequestFacts, Translation, TranslatedStep } from '../../core/rest/route.ts';
import { calendarFeedFields } from './calendar-feed-fields.ts';
import { readCalendarParameters } from './calendar-parameters.ts';
import { currentGraphqlName } from '../feeds/fields/feed-fields.ts';
import type { CalendarArgs } from './open-calendar.ts';

const range = 'layout calendarType selectedDates';
const walk = 'projectId projectTitle projectType assignedTo startDate endDate';
const project =
  'projectId projectTitle projectType projectTypeDesc icon startDate endDate priority isOverdue isCompleted isConfidential isEdited hasSurvey hasAttachment assignedRole';

/** Translates a calendar to GraphQL: `viewer.calendar`, whose type depends on the source. */
export function explainCalendar(request: RequestFacts, body: [string, string][]): Translation {
  const read = new ParameterReader(request, request.query, body);
  const { orderBy, filter, ...args } = readCalendarParameters(read);
  read.finish();
  const narrows = Object.values(filter ?? {}).some((value) => value != null && value !== false);
  const calendar: TranslatedStep = {
    field: 'calendar',
    args: {
      ...args,
      filter: narrows ? filter : undefined,
      orderBy: orderBy?.length ? orderBy : undefined,
    },
  };
  const { step, select } = itemsOf(args.source);
  return {
    steps: [{ field: 'viewer' }, calendar, step],
    select,
    ignored: read.ignored(),
    notes: [
      args.source === 'CALENDAR' &&
        `REST gives at most 5000 feeds at once, GraphQL pages of ${MAX_PAGE_SIZE}: while hasNextPage, ask again with the endCursor as after.`,
      args.source !== 'CALENDAR' &&
        `This has at most 5000 at once, as in REST; ${step.field}Connection has pages of ${MAX_PAGE_SIZE}.`,
      args.filterId != null &&
        'layout and calendarType are those of the system filter, null when there is none of that id.',
    ],
  };
}

function itemsOf(source: CalendarArgs['source']): { step: TranslatedStep; select: string } {
  switch (source) {
    case 'CALENDAR':
      return {
        step: {
          on: 'CalendarFeeds',
          beside: `${range} lastFetchTime`,
          field: 'feeds',
          args: { first: MAX_PAGE_SIZE, after: null },
        },
        select: `nodes { ${calendarFeedFields.map(currentGraphqlName).join(' ')} } pageInfo { hasNextPage endCursor }`,
      };
    case 'STORE_PROJECTS':
    case 'STORE_SUGGESTED_DATE_PROJECTS':
      return {
        step: { on: 'CalendarProjects', beside: `${range} truncated`, field: 'projects' },
        select: project,
      };
    case 'STORE_WALK_CAL':
      return {
        step: { on: 'CalendarWalks', beside: `${range} truncated`, field: 'walks' },
        select: walk,
      };
  }
}
