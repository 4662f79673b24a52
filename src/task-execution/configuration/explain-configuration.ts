import { ParameterReader } from '../../core/rest/parameters.ts';
import type { RequestFacts, Translation } from '../../core/rest/route.ts';
import { readConfigTypes } from './config-parameters.ts';
import type { ConfigType } from './config-types.ts';

/** The documented fields of each type, by GraphQL's names. */
const selections: Readonly<Record<ConfigType, string>> = {
  CALENDAR:
    'calendar { defaultCalendarView ganttDateSpan calendarSetup { key value onClick view defaultLayout defaultView } showAllDays }',
  FEED:
    'feed { feedStatusData { status displayText } feedDateSpan sortOrder { key description type value } priorityData { priority priorityDesc color img } overdueDateSpan allowBulkAction noRecords ' +
    'projStatusCss fyiConfig feedUiconfig projectTypeData messageTypeData }',
  ATTACHMENT:
    'attachment { maxUploadSize allowedAttachments commentMaxAttachCount buttonMaxAttachCount }',
  SMART_SEARCH: 'smartSearch',
  REFRESH: 'refresh { feedRefreshRate msgRefreshRate }',
  FILTER: 'filter { maxFilterNameCharacters filterDateRange maxFeedNotesCharacters listTaskLimit }',
  FEED_COMPONENT: 'feedComponents { componentId newImage cssContent actualImage showFlag }',
};

/** Translates the configuration to GraphQL: `viewer.configuration` with the requested types. */
export function explainConfiguration(request: RequestFacts): Translation {
  const read = new ParameterReader(request, request.query);
  const types = readConfigTypes(read);
  read.finish();
  return {
    steps: [{ field: 'viewer' }, { field: 'configuration' }],
    select: types.map((type) => selections[type]).join(' '),
    ignored: read.ignored(),
    notes: [
      'REST has the fields of all types at one level, GraphQL each type on its own; flags that are Y or N in REST are true or false.',
    ],
  };
}
