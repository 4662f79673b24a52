import {
  findDomain,
  type ImportLine,
  type ImportRun,
  type ScopeKind,
} from '../../../core/records/record-kind.ts';
import { parseTime } from '../../../core/records/parse-time.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { fold } from '../../../core/text.ts';
import { zoneOrUtc } from '../../../core/time/is-time-zone.ts';
import type { FeedRecord } from './feed-record-schema.ts';
import type { lockFeeds } from './feed-writes.sql.ts';
import { sameColumns } from './same-columns.ts';

/** Data about a stored feed that an import needs. */
type KnownFeed = Omit<RowOf<typeof lockFeeds.row>, 'feedKey'>;

/** A feed record with ids in place of names and instants in place of times. */
export interface ResolvedFeed {
  line: number;
  feedKey: number;
  isNew: boolean;
  /** Parents whose task counts may change. */
  parents: number[];
  /** Columns of `feed` that the record gives. */
  row: Record<string, unknown>;
  /** Rows of its parts, where the record gives them. */
  assignments?: object[];
  states: object[];
  tags?: object[];
  attributes?: object[];
}

/**
 * Resolves every reference of a record and adds the feed to `known`; if something can't be found, reports it and
 * returns undefined.
 */
export function resolveFeed(
  { line, value }: ImportLine<FeedRecord>,
  known: Map<number, KnownFeed>,
  run: ImportRun,
): ResolvedFeed | undefined {
  const { directory } = run;
  let faults = 0;
  const fault = (field: string, reason: string): undefined => {
    faults++;
    run.problem(line, field, reason);
  };
  const domainId = findDomain(run, line, value.domain);
  if (domainId === undefined) return undefined;

  const old = known.get(value.feed_key);
  if (old && old.domainId !== domainId)
    return fault('feed_key', `${value.feed_key} belongs to another domain`);
  if (!old && value.kind === undefined) fault('kind', 'is required for a new feed');
  if (!old && value.feed_title === undefined) fault('feed_title', 'is required for a new feed');

  const scope = (kind: ScopeKind, name: string, field: string = kind): number | undefined =>
    directory.scope(kind, domainId, name)?.id ??
    fault(field, `no ${kind} "${name}" in domain "${value.domain}"`);
  const user = (login: string, field: string): number | undefined => {
    const entry = directory.user(login);
    return entry?.domainId === domainId
      ? entry.id
      : fault(field, `no user "${login}" in domain "${value.domain}"`);
  };
  const parent = value.parent_feed_key;
  if (parent === value.feed_key) fault('parent_feed_key', 'is the feed itself');
  else if (typeof parent === 'number' && known.get(parent)?.domainId !== domainId) {
    fault(
      'parent_feed_key',
      `no feed ${parent} in domain "${value.domain}" in the database or on an earlier line`,
    );
  }

  const { sugg_start_date: newStart, sugg_end_date: newEnd } = value;
  const suggStartDate = newStart === undefined ? (old?.suggStartDate ?? null) : newStart;
  const suggEndDate = newEnd === undefined ? (old?.suggEndDate ?? null) : newEnd;
  if ((newStart ?? newEnd) && suggStartDate && suggEndDate && suggStartDate > suggEndDate)
    fault(
      newStart ? 'sugg_start_date' : 'sugg_end_date',
      `the suggested start ${suggStartDate} is after the suggested end ${suggEndDate}`,
    );

  const unitZone =
    typeof value.unit === 'string'
      ? (directory.scope('unit', domainId, value.unit)?.timeZone ?? null)
      : value.unit === null
        ? null
        : (old?.unitZone ?? null);
  const zone = value.time_zone ?? zoneOrUtc(unitZone ?? 'UTC');
  const time = (
    text: string | null | undefined,
    field: string,
    inZone = zone,
  ): string | null | undefined => {
    if (text === null || text === undefined) return text;
    const millis = parseTime(text, inZone);
    return millis === undefined ? fault(field, 'is not a time') : new Date(millis).toISOString();
  };
  /** By the time in UTC, else by the wall clock. */
  const dateOf = (name: 'start' | 'end'): string | null | undefined => {
    const [utc, wall] = [value[`${name}_date_utc`], value[`${name}_date_time`]];
    return utc == null && wall !== undefined
      ? time(wall, `${name}_date_time`)
      : time(utc, `${name}_date_utc`, 'UTC');
  };
  const millis = (at: number | null | undefined): string | null | undefined =>
    typeof at === 'number' ? new Date(at).toISOString() : at;
  const id = (
    name: string | null | undefined,
    find: (name: string) => number | undefined,
  ): number | null | undefined => (typeof name === 'string' ? find(name) : name);

  const row: Record<string, unknown> = {
    feed_key: value.feed_key,
    domain_id: domainId,
    kind: value.kind,
    parent_feed_key: parent,
    unit_id: id(value.unit, (name) => scope('unit', name)),
    dept_id: id(value.dept, (name) => scope('dept', name)),
    profile_id: id(value.profile, (name) => scope('profile', name)),
    owner_user_id: id(value.owner, (login) => user(login, 'owner')),
    title: value.feed_title,
    title_fold: value.feed_title === undefined ? undefined : fold(value.feed_title),
    description: value.feed_description,
    start_at: dateOf('start'),
    end_at: dateOf('end'),
    launch_at: time(value.display_launch_date, 'display_launch_date'),
    event_at: time(value.event_date, 'event_date'),
    event_end_at: time(value.event_end_date, 'event_end_date'),
    txn_at: time(value.txn_dtm, 'txn_dtm'),
    created_at: time(value.create_dtm, 'create_dtm') ?? undefined,
    last_updated_at: millis(value.last_updated_time) ?? undefined,
    last_action_at: millis(value.last_action_time),
    deleted_at:
      value.deleted === undefined || value.deleted === (old?.deleted ?? false)
        ? undefined
        : value.deleted
          ? new Date(run.now).toISOString()
          : null,
  };
  const given: Record<string, unknown> = value;
  for (const column of Object.keys(sameColumns)) row[column] = given[column];

  const resolved: ResolvedFeed = {
    line,
    feedKey: value.feed_key,
    isNew: !old,
    parents: [],
    row,
    states: [],
  };
  const after = parent === undefined ? (old?.parentFeedKey ?? null) : parent;
  for (const key of new Set([old?.parentFeedKey ?? null, after]))
    if (key !== null) resolved.parents.push(key);

  if (value.assignments) {
    const rows = value.assignments.map((given, index) => ({
      feed_key: value.feed_key,
      user_id: id(given.user, (login) => user(login, `assignments[${index}].user`)) ?? null,
      dept_id: id(given.dept, (name) => scope('dept', name, `assignments[${index}].dept`)) ?? null,
      unit_id: id(given.unit, (name) => scope('unit', name, `assignments[${index}].unit`)) ?? null,
      role: given.role ?? 'ASSIGNEE',
      assigned_role_text: given.assigned_role ?? null,
    }));
    resolved.assignments = lastOf(
      rows,
      (item) => `${item.user_id} ${item.dept_id} ${item.unit_id} ${item.role}`,
    );
  }
  if (value.tags)
    resolved.tags = lastOf(
      value.tags.map((tag) => ({ feed_key: value.feed_key, tag, tag_fold: fold(tag) })),
      (item) => item.tag_fold,
    );
  if (value.attributes) {
    const rows = value.attributes.map((item) => ({
      feed_key: value.feed_key,
      ...item,
      value_fold: fold(item.value),
    }));
    resolved.attributes = lastOf(rows, (item) =>
      JSON.stringify([item.scope, item.name, item.value]),
    );
  }
  const states = (value.user_states ?? []).map((given, index) => ({
    feed_key: value.feed_key,
    user_id: user(given.user, `user_states[${index}].user`),
    pinned: given.pin,
    favorite: given.favorite_flag,
    follow: given.follow,
    acknowledged: given.acknowledged_flag,
    watched: given.watch_flag,
    promoted_to_note: given.promote_to_note_flag,
    flag: given.flag,
    has_action: given.has_action,
    action_taken: given.action_taken_flag,
    has_notes: given.has_user_notes,
  }));
  resolved.states = lastOf(states, (item) => String(item.user_id));
  if (faults > 0) return undefined;
  known.set(value.feed_key, {
    domainId,
    unitZone,
    deleted: value.deleted ?? old?.deleted ?? false,
    parentFeedKey: after,
    suggStartDate,
    suggEndDate,
  });
  return resolved;
}

/** Keeps the last of equal items. */
function lastOf<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.length < 2
    ? [...items]
    : [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
