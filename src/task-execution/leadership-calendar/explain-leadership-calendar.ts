import { ParameterReader } from '../../core/rest/parameters.ts';
import type { RequestFacts, Translation } from '../../core/rest/route.ts';
import { readLeadershipParameters } from './leadership-parameters.ts';

/** Translates the leadership calendar to GraphQL: `viewer.leadershipCalendar`. */
export function explainLeadershipCalendar(
  request: RequestFacts,
  body: [string, string][],
): Translation {
  const read = new ParameterReader(request, request.query, body);
  const { filter, ...args } = readLeadershipParameters(read);
  read.finish();
  const narrows = Object.values(filter ?? {}).some((value) => value != null && value !== false);
  return {
    steps: [
      { field: 'viewer' },
      { field: 'leadershipCalendar', args: { ...args, filter: narrows ? filter : undefined } },
    ],
    select:
      'projects { projectId projectTitle projectType startDate endDate span priority legend { legendId } } categories { categoryId name } legends { legendId name color } ' +
      'notes { notesId date note } monthlyNotes { notesId year month note } truncated',
    ignored: read.ignored(),
    notes: [
      'E404 in REST: no projects and no notes; GraphQL gives the empty lists.',
      args.year < 1000 && 'GraphQL takes the years 1000 to 9999.',
    ],
  };
}
