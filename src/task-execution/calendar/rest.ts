import { bodyParameters } from '../../core/rest/body-parameters.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { jsonAnswer, type RestReply, type RestRequest, type Route } from '../../core/rest/route.ts';
import { daysBetween } from '../../core/time/days.ts';
import { presentFeeds } from '../feeds/present-feeds.ts';
import type { AllItems } from './calendar-items.ts';
import { calendarFeedFields } from './calendar-feed-fields.ts';
import { calendarRequest, readCalendarParameters } from './calendar-parameters.ts';
import { calendarExample, calendarShape } from './calendar-shapes.ts';
import { explainCalendar } from './explain-calendar.ts';
import type { CalendarProject } from './list-calendar-projects.ts';
import type { CalendarWalk } from './list-calendar-walks.ts';
import { listCalendarFeeds } from './list-calendar-feeds.ts';
import { MAX_ITEMS } from './open-calendar.ts';
import { readCalendar, type CalendarResult } from './read-calendar.ts';

const common = {
  family: 'task',
  parameters: describeParameters(calendarRequest),
  answer: jsonAnswer(calendarShape, calendarExample, {
    headers: { 'X-Result-Truncated': 'true when not every item is in the answer.' },
  }),
  errors: ['E140', 'E142', 'E143', 'E147'],
  noDataKey: 'error_code',
} as const;

export const calendarRoutes: readonly Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/task/v1/calendar',
    operation: 'readCalendar',
    summary: 'Returns calendar or Gantt data of a range of days.',
    run: (ctx, request) => calendar(ctx, request, []),
    explain: (request) => explainCalendar(request, []),
  },
  {
    ...common,
    method: 'POST',
    onlyReads: true,
    path: '/service/rtm/getCalendarData',
    operation: 'readCalendarLegacy',
    summary:
      'Legacy counterpart of GET /task/v1/calendar; parameters in query, form or JSON, where the body wins.',
    body: { repeatsQuery: true },
    run: async (ctx, request) => calendar(ctx, request, bodyParameters(await request.body())),
    explain: async (request) => explainCalendar(request, bodyParameters(await request.body())),
  },
];

async function calendar(
  ctx: SignedInContext,
  request: RestRequest,
  body: [string, string][],
): Promise<RestReply> {
  const read = new ParameterReader(request, request.query, body);
  const args = readCalendarParameters(read);
  const result = await readCalendar(ctx, args);
  if (args.filterId && !result.systemFilter) read.ignore('filter_id', 'names no system filter');
  read.finish();
  const { items, truncated, more } = await presentItems(ctx, result);
  const headers = { ...read.headers(), ...(truncated && { 'x-result-truncated': 'true' }) };
  if (items.length === '[]'.length) throw new AppError('E404', { headers });
  const days = result.systemFilter
    ? members({ ...result.systemFilter, selectedDates: daysBetween(result.from, result.to) })
    : '';
  const before = `{"status":"OK","calendar_data":{"${more ? 'feed_details' : 'project_data'}":`;
  return {
    headers,
    body: Buffer.concat([Buffer.from(before), items, Buffer.from(`${more}${days}}${days}}`)]),
  };
}

/** The items as a JSON array, and for CALENDAR the members next to them. */
async function presentItems(ctx: SignedInContext, result: CalendarResult): Promise<Items> {
  switch (result.source) {
    case 'CALENDAR': {
      const page = await listCalendarFeeds(ctx, result, {
        page: { limit: MAX_ITEMS, backward: false },
        columns: calendarFeedFields,
        probe: false,
      });
      return {
        items: presentFeeds(page.rows, calendarFeedFields),
        truncated: page.hasNextPage,
        more: members({ last_fetch_time: result.lastFetchTime }),
      };
    }
    case 'STORE_PROJECTS':
    case 'STORE_SUGGESTED_DATE_PROJECTS':
      return jsonOf(await result.all(), presentProject);
    case 'STORE_WALK_CAL':
      return jsonOf(await result.all(), presentWalk);
  }
}

interface Items {
  /** A JSON array. */
  items: Buffer;
  truncated: boolean;
  more: string;
}

function jsonOf<Item>(
  { items, truncated }: AllItems<Item>,
  present: (item: Item) => object,
): Items {
  return { items: Buffer.from(JSON.stringify(items.map(present))), truncated, more: '' };
}

/** Further members of a JSON object, with a leading comma. */
function members(values: object): string {
  return `,${JSON.stringify(values).slice(1, -1)}`;
}

function presentProject(project: CalendarProject): object {
  return {
    project_id: project.projectId,
    project_title: project.projectTitle,
    project_type: project.projectType,
    project_type_desc: project.projectTypeDesc,
    icon: project.icon,
    start_date: project.startDate,
    end_date: project.endDate,
    priority: project.priority,
    is_overdue: project.isOverdue,
    is_completed: project.isCompleted,
    is_confidential: project.isConfidential,
    is_edited: project.isEdited,
    has_survey: project.hasSurvey,
    has_attachment: project.hasAttachment,
    assigned_role: project.assignedRole,
  };
}

function presentWalk(walk: CalendarWalk): object {
  return {
    project_id: walk.projectId,
    project_title: walk.projectTitle,
    project_type: walk.projectType,
    assigned_to: walk.assignedTo,
    start_date: walk.startDate,
    end_date: walk.endDate,
  };
}
