import { bodyParameters } from '../../core/rest/body-parameters.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { jsonAnswer, type RestReply, type RestRequest, type Route } from '../../core/rest/route.ts';
import { explainLeadershipCalendar } from './explain-leadership-calendar.ts';
import { leadershipRequest, readLeadershipParameters } from './leadership-parameters.ts';
import { leadershipExample, leadershipShape } from './leadership-shapes.ts';
import { readLeadershipCalendar } from './read-leadership-calendar.ts';
import type { LeadershipProject } from './leadership-project.ts';

const common = {
  family: 'task',
  parameters: describeParameters(leadershipRequest),
  answer: jsonAnswer(leadershipShape, leadershipExample, {
    headers: { 'X-Result-Truncated': 'true when not every project is in the answer.' },
  }),
  errors: ['E144', 'E145', 'E146'],
  noDataKey: 'error_code',
  failsAsNoData: true,
} as const;

export const leadershipCalendarRoutes: readonly Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/task/v1/calendar/leadership',
    operation: 'readLeadershipCalendar',
    summary: 'Returns the leadership calendar of a month or a year.',
    run: (ctx, request) => leadership(ctx, request, []),
    explain: (request) => explainLeadershipCalendar(request, []),
  },
  {
    ...common,
    method: 'POST',
    onlyReads: true,
    path: '/service/execute/getLeadershipCalendarData',
    operation: 'readLeadershipCalendarLegacy',
    summary:
      'Legacy counterpart of GET /task/v1/calendar/leadership; parameters in query, form or JSON, where the body wins.',
    body: { repeatsQuery: true },
    run: async (ctx, request) => leadership(ctx, request, bodyParameters(await request.body())),
    explain: async (request) =>
      explainLeadershipCalendar(request, bodyParameters(await request.body())),
  },
];

async function leadership(
  ctx: SignedInContext,
  request: RestRequest,
  body: [string, string][],
): Promise<RestReply> {
  const read = new ParameterReader(request, request.query, body);
  const args = readLeadershipParameters(read);
  read.finish();
  const { projects, categories, legends, notes, monthlyNotes, truncated } =
    await readLeadershipCalendar(ctx, args);
  const headers = { ...read.headers(), ...(truncated && { 'x-result-truncated': 'true' }) };
  if (projects.length + notes.length + monthlyNotes.length === 0)
    throw new AppError('E404', { headers });
  const data = {
    leadership_calender_project_data: projects.map(presentProject),
    leadership_categories: categories,
    leadership_admin_legend_details: legends,
    notes: keyed(notes.map(({ date, notesId, note }) => ({ key: date, notesId, note }))),
    monthly_notes: keyed(
      monthlyNotes.map(({ month, notesId, note }) => ({ key: month, notesId, note })),
    ),
  };
  return { headers, body: JSON.stringify({ status: 'OK', leadership_data: data }) };
}

function presentProject(project: LeadershipProject): object {
  return {
    project_id: project.projectId,
    project_title: project.projectTitle,
    project_type: project.projectType,
    start_date: Number(project.startDate),
    end_date: Number(project.endDate),
    span: project.span,
    priority: project.priority,
    legend_id: project.legend?.id ?? null,
  };
}

/** Notes as an object, keyed by day or month (D-47). */
function keyed(
  notes: readonly { key: string; notesId: number; note: string }[],
): Record<string, { notes_id: number; note: string }[]> {
  const byKey: Record<string, { notes_id: number; note: string }[]> = {};
  for (const { key, notesId, note } of notes) (byKey[key] ??= []).push({ notes_id: notesId, note });
  return byKey;
}
