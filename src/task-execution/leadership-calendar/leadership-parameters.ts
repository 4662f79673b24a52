import { AppError } from '../../core/errors.ts';
import { parseInt32, type ParameterReader } from '../../core/rest/parameters.ts';
import type { RouteParameter } from '../../core/rest/route.ts';
import type { LeadershipArgs } from './read-leadership-calendar.ts';

function parameter(
  name: string,
  description: string,
  schema: RouteParameter['schema'] = { type: 'string' },
): RouteParameter {
  return { name, in: 'query', schema, description };
}

/** The documented query parameters, in document order. */
export const leadershipParameters: readonly RouteParameter[] = [
  {
    ...parameter('cal_type', 'M monthly, A annual.', { type: 'string', enum: ['M', 'A'] }),
    required: true,
    example: 'M',
  },
  {
    ...parameter('month_no', 'Month; checked but not used with A.', {
      type: 'integer',
      minimum: 1,
      maximum: 12,
    }),
    required: true,
    example: 11,
  },
  {
    ...parameter('year', 'Four digits, as 2026 or 0999.', {
      type: 'integer',
      minimum: 1,
      maximum: 9999,
    }),
    required: true,
    example: 2026,
  },
  parameter('project_type_id', 'Comma-separated project type ids, any of.'),
  parameter('exec_level', 'Comma-separated executor levels.'),
  parameter('assignments', 'Comma-separated ids of departments that a project is assigned to.'),
  parameter('view_unit', 'Comma-separated unit ids.'),
  parameter('project_title', 'Case-insensitive substring of the title.'),
  parameter('legend_type', 'Comma-separated legend type ids.'),
  parameter('priority', 'Comma-separated priority numbers.'),
  parameter('show_only_my_projects', 'true: only what is in my view.', {
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
  }),
  parameter('show_field_projects', 'true: also projects below others.', {
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
  }),
];

/** Reads every parameter. Throws E144, E145, E146 in this order (D-03). */
export function readLeadershipParameters(read: ParameterReader): LeadershipArgs {
  const type = read.text('cal_type')?.trim();
  if (type !== 'M' && type !== 'A') throw new AppError('E144');
  const month = read.text('month_no')?.trim() ?? '';
  if (!/^\d{1,2}$/.test(month) || Number(month) < 1 || Number(month) > 12)
    throw new AppError('E145');
  const year = read.text('year')?.trim() ?? '';
  if (!/^\d{4}$/.test(year) || Number(year) < 1) throw new AppError('E146');
  const isTrue = (name: string): boolean =>
    read.optional(
      name,
      (value) => (/^true$/i.test(value) ? 'true' : /^false$/i.test(value) ? 'false' : undefined),
      'true or false',
    ) === 'true';
  const filter = {
    projectTypeIds: read.list('project_type_id', (token) => token, 'a project type id'),
    execLevels: read.list('exec_level', parseInt32, 'an integer'),
    assignments: read.list('assignments', parseInt32, 'a department id'),
    viewUnits: read.list('view_unit', parseInt32, 'a unit id'),
    projectTitle: read.filterText('project_title'),
    legendTypes: read.list('legend_type', parseInt32, 'a legend type id'),
    priorities: read.list('priority', parseInt32, 'an integer'),
    showOnlyMyProjects: isTrue('show_only_my_projects'),
    showFieldProjects: isTrue('show_field_projects'),
  };
  return { type, month: Number(month), year: Number(year), filter };
}
