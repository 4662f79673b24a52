import { AppError } from '../../core/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from '../../core/lists/pagination.ts';
import { parseInt32, parseInt64, type ParameterReader } from '../../core/rest/parameters.ts';
import { fold } from '../../core/text.ts';
import { parseDay } from '../../core/time.ts';
import {
  defaultFeedFields,
  feedFieldNames,
  isFeedFieldName,
  type FeedFieldName,
} from '../feeds/fields/feed-fields.ts';
import type { FeedFilter } from '../feeds/selection/feed-filter.ts';
import { parseFeedStatus } from '../terms/feed-status.ts';
import { feedParameters, type RetrieveType } from './feed-parameters.ts';

/** Names the parameters that the document ignores in this mode, so that the client hears of it. */
export function ignoreOtherModes(read: ParameterReader, mode: RetrieveType): void {
  for (const { name, modes } of feedParameters)
    if (!modes.includes(mode)) read.documentedAsIgnored(name);
  read.documentedAsIgnored('return_type');
  read.documentedAsIgnored('return_format');
}

/** The filter parameters that all modes share; those of one mode only are read where they count. */
export function readFeedFilter(read: ParameterReader, mode: RetrieveType): FeedFilter {
  const token = (value: string): string => value;
  const days = (name: string): string[] | undefined =>
    mode === 'count' ? undefined : read.list(name, parseDay, 'a day yyyyMMdd');
  const title = read.filterText('feed_title');
  return {
    selectedDates: days('selected_dates'),
    weekDates: days('week_dates'),
    cutOffTime:
      mode === 'list-latest'
        ? undefined
        : read.optional('cut_off_time', parseInt64, 'epoch milliseconds'),
    pin: read.triState('pin'),
    favorite: read.triState('favorite'),
    follow: read.triState('follow'),
    messageTypes: read.list('message_type', token, 'a message type'),
    statuses: read.list('status', parseFeedStatus, 'one of N, R, P, O, C, F, E'),
    priorities: read.list('priority', parseInt32, 'an integer'),
    feedTitle: title === undefined ? undefined : decodeOnceMore(title),
    acknowledged: read.triState('acknowledge_flag'),
    promotedToNote: read.triState('promote_to_note_flag'),
    comAttrValues: read.list('com_attr_val', token, 'a value'),
    msgAttrValues: read.list('msg_attr_val', token, 'a value'),
    view: read.optional(
      'view_type',
      (value) => (value === 'MV' || value === 'DV' || value === 'SV' ? value : undefined),
      'MV, DV or SV',
    ),
    taskView: read.optional(
      'task_view',
      (value) => (value === 'P' || value === 'T' ? value : undefined),
      'P or T',
    ),
    feedTypeIds: read.list('feed_type_id', token, 'a feed type id'),
    tags: read.list('tags', token, 'a tag'),
  };
}

/** limit, starting_after, ending_before (D-06, D-17). Throws E112 when both cursors are sent. */
export function readPage(read: ParameterReader): PageRequest {
  const after = read.text('starting_after');
  const before = read.text('ending_before');
  if (after !== undefined && before !== undefined) throw new AppError('E112');
  const limit =
    read.optional(
      'limit',
      (value) => (/^[+-]?\d+$/.test(value) ? Number(value) : undefined),
      'an integer',
    ) ?? DEFAULT_PAGE_SIZE;
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
