import { AppError } from '../../core/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from '../../core/lists/pagination.ts';
import type { ParameterReader } from '../../core/rest/parameters.ts';
import { tablesOf } from '../../core/rest/request-schema.ts';
import { fold } from '../../core/text.ts';
import {
  defaultFeedFields,
  feedFieldNames,
  isFeedFieldName,
  type FeedFieldName,
} from '../feeds/fields/feed-fields.ts';
import type { FeedFilter } from '../feeds/selection/feed-filter.ts';
import { feedRequest, type RetrieveType } from './feed-parameters.ts';

const modesOf = [...tablesOf(feedRequest)].map(([name, { modes }]) => [name, modes] as const);

/** Names the parameters that the document ignores in this mode, so that the client hears of it. */
export function ignoreOtherModes(read: ParameterReader, mode: RetrieveType): void {
  for (const [name, modes] of modesOf)
    if (modes?.includes(mode) === false) read.documentedAsIgnored(name);
  read.documentedAsIgnored('return_type');
  read.documentedAsIgnored('return_format');
}

/** The filter parameters that all modes share; those of one mode only are read where they count. */
export function readFeedFilter(read: ParameterReader, mode: RetrieveType): FeedFilter {
  const title = read.filterText('feed_title');
  return {
    selectedDates: mode === 'count' ? undefined : read.get(feedRequest, 'selected_dates'),
    weekDates: mode === 'count' ? undefined : read.get(feedRequest, 'week_dates'),
    cutOffTime: mode === 'list-latest' ? undefined : read.get(feedRequest, 'cut_off_time'),
    pin: read.get(feedRequest, 'pin') ?? undefined,
    favorite: read.get(feedRequest, 'favorite') ?? undefined,
    follow: read.get(feedRequest, 'follow') ?? undefined,
    messageTypes: read.get(feedRequest, 'message_type'),
    statuses: read.get(feedRequest, 'status'),
    priorities: read.get(feedRequest, 'priority'),
    feedTitle: title === undefined ? undefined : decodeOnceMore(title),
    acknowledged: read.get(feedRequest, 'acknowledge_flag') ?? undefined,
    promotedToNote: read.get(feedRequest, 'promote_to_note_flag') ?? undefined,
    comAttrValues: read.get(feedRequest, 'com_attr_val'),
    msgAttrValues: read.get(feedRequest, 'msg_attr_val'),
    view: read.get(feedRequest, 'view_type'),
    taskView: read.get(feedRequest, 'task_view'),
    feedTypeIds: read.get(feedRequest, 'feed_type_id'),
    tags: read.get(feedRequest, 'tags'),
  };
}

/** limit, starting_after, ending_before (D-06, D-17). Throws E112 when both cursors are sent. */
export function readPage(read: ParameterReader): PageRequest {
  const after = read.text('starting_after');
  const before = read.text('ending_before');
  if (after !== undefined && before !== undefined) throw new AppError('E112');
  const limit = read.get(feedRequest, 'limit') ?? DEFAULT_PAGE_SIZE;
  return {
    limit: limit < 1 ? DEFAULT_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE),
    backward: before !== undefined,
    cursor: after ?? before,
  };
}

/** The fields to return, in document order, with feed_key always first (D-13), and the names that are none. */
export function readProjections(read: ParameterReader): {
  fields: readonly FeedFieldName[];
  unknown: string[];
} {
  const given = read.text('projections');
  if (given === undefined) return { fields: defaultFeedFields, unknown: [] };
  const names = new Set(given.split(',').map((name) => name.trim()));
  const unknown = [...names].filter((name) => !isFeedFieldName(name));
  if (unknown.length > 0) read.ignore('projections', 'names fields that do not exist');
  return {
    fields: feedFieldNames.filter((name) => name === 'feed_key' || names.has(name)),
    unknown,
  };
}

/** Titles may arrive encoded twice: decoded once more if that works out, else kept as it is (D-33). */
function decodeOnceMore(title: string): string {
  if (!/%[0-9a-f]{2}/i.test(title)) return title;
  try {
    const decoded = decodeURIComponent(title);
    return fold(decoded) === '' ? title : decoded;
  } catch {
    return title;
  }
}
