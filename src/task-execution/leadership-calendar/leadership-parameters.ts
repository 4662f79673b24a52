import * as z from 'zod';
import { AppError } from '../../core/errors.ts';
import { parseInt32, type ParameterReader } from '../../core/rest/parameters.ts';
import { listOf, oneOf, valueOf } from '../../core/rest/parameter-values.ts';
import { queryParameter as query } from '../../core/rest/request-schema.ts';
import type { LeadershipArgs } from './leadership-period.ts';

const flag = (): z.ZodType<boolean, string> =>
  valueOf(
    (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined),
    'true or false',
    { type: 'string', enum: ['true', 'false'], default: 'false' },
  );
const number = (digits: RegExp, maximum: number): z.ZodType<number, string> =>
  valueOf(
    (text) =>
      digits.test(text) && Number(text) >= 1 && Number(text) <= maximum ? Number(text) : undefined,
    `a number from 1 to ${maximum}`,
    { type: 'integer', minimum: 1, maximum },
  );

/** The documented query parameters, in document order. */
export const leadershipRequest = z.object({
  cal_type: query(oneOf(['M', 'A']), 'M monthly, A annual.', { required: true, example: 'M' }),
  month_no: query(number(/^\d{1,2}$/, 12), 'Month; checked but not used with A.', {
    required: true,
    example: (today) => Number(today.slice(4, 6)),
  }),
  year: query(number(/^\d{4}$/, 9999), 'Four digits, as 2026 or 0999.', {
    required: true,
    example: (today) => Number(today.slice(0, 4)),
  }),
  project_type_id: query(
    listOf((token) => token, 'a project type id'),
    'Comma-separated project type ids, any of.',
  ),
  exec_level: query(listOf(parseInt32, 'an integer'), 'Comma-separated executor levels.'),
  assignments: query(
    listOf(parseInt32, 'a department id'),
    'Comma-separated ids of departments that a project is assigned to.',
  ),
  view_unit: query(listOf(parseInt32, 'a unit id'), 'Comma-separated unit ids.'),
  project_title: query(z.string(), 'Case-insensitive substring of the title.'),
  legend_type: query(listOf(parseInt32, 'a legend type id'), 'Comma-separated legend type ids.'),
  priority: query(listOf(parseInt32, 'an integer'), 'Comma-separated priority numbers.'),
  show_only_my_projects: query(flag(), 'true: only what is in my view.'),
  show_field_projects: query(flag(), 'true: also projects below others.'),
});

/** Reads all parameters. Throws E144, E145, E146 in this order (D-03). */
export function readLeadershipParameters(read: ParameterReader): LeadershipArgs {
  const type = read.get(leadershipRequest, 'cal_type');
  if (type === undefined) throw new AppError('E144');
  const month = read.get(leadershipRequest, 'month_no');
  if (month === undefined) throw new AppError('E145');
  const year = read.get(leadershipRequest, 'year');
  if (year === undefined) throw new AppError('E146');
  const filter = {
    projectTypeIds: read.get(leadershipRequest, 'project_type_id'),
    execLevels: read.get(leadershipRequest, 'exec_level'),
    assignments: read.get(leadershipRequest, 'assignments'),
    viewUnits: read.get(leadershipRequest, 'view_unit'),
    projectTitle: read.sentText('project_title'),
    legendTypes: read.get(leadershipRequest, 'legend_type'),
    priorities: read.get(leadershipRequest, 'priority'),
    showOnlyMyProjects: read.get(leadershipRequest, 'show_only_my_projects') ?? false,
    showFieldProjects: read.get(leadershipRequest, 'show_field_projects') ?? false,
  };
  return { type, month, year, filter };
}
