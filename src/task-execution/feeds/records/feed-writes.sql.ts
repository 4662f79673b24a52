import type { Param } from '../../../core/wire/wire.ts';
import { statement, statementFor, type TypedParams } from '../../../core/sql/statement.ts';
import {
  bool,
  char,
  int4,
  int8,
  int8s,
  json,
  jsonb,
  nullable,
  oneOf,
  text,
  timestamptz,
  type ParamsOf,
  type SqlType,
  type Types,
} from '../../../core/sql/types.ts';
import { feedStatuses, type FeedStatus } from '../../terms/feed-status.ts';
import { readableSql, type FeedReader } from '../selection/feed-visibility.sql.ts';
import { sameColumns } from './same-columns.ts';

// What writes the table `feed`: no other file does, see test/architecture.test.ts. Every statement sets last_updated_at
// here, and a change raises the version.

const feedStatus = { ...oneOf<FeedStatus>(...feedStatuses), name: char.name };

/** Columns that a change sets. */
const changeable = {
  status: feedStatus,
  dept_id: int4,
  assign_to_desc: nullable(text),
  sugg_start_date: nullable(char),
  sugg_end_date: nullable(char),
  last_action_at: timestamptz,
  reopened_at: timestamptz,
  has_history: bool,
};
export type FeedChange = Partial<ParamsOf<typeof changeable>>;

/** Columns of a feed that a request creates; the others have the defaults of the table. */
const creatable = {
  domain_id: int4,
  kind: text,
  priority: nullable(int4),
  feed_type: nullable(text),
  feed_type_id: nullable(text),
  feed_type_id_desc: nullable(text),
  title: text,
  title_fold: text,
  description: nullable(text),
  start_at: nullable(timestamptz),
  end_at: nullable(timestamptz),
  launch_at: nullable(timestamptz),
  unit_id: nullable(int4),
  dept_id: nullable(int4),
  feed_owner: nullable(text),
  assign_to_desc: nullable(text),
};

/** Columns that an import record may set; last_updated_at depends on whether anything else differs. */
const importable = [
  ...Object.keys(sameColumns),
  'kind',
  'parent_feed_key',
  'title',
  'title_fold',
  'description',
  'start_at',
  'end_at',
  'launch_at',
  'event_at',
  'event_end_at',
  'unit_id',
  'dept_id',
  'profile_id',
  'owner_user_id',
  'txn_at',
  'created_at',
  'last_action_at',
  'deleted_at',
];
const importableOf = (table: string): string =>
  importable.map((column) => `${table}.${column}`).join(', ');

const RAISED = 'version = f.version + 1';

type LockedFeed = { feedKey: number; reader: FeedReader; withParent: boolean };
const nobody: FeedReader = { lists: [], homeDeptIds: [] };

/**
 * A feed that the reader may see, locked until the end of the transaction; where it changes its status, with the feed above
 * it, which counts its tasks. The smaller key first, as whoever locks several feeds does. Flags may be set on it meanwhile.
 * `isNewer` than what the reader was seen to see: it was changed while its lock was waited for.
 */
export const lockFeed = statementFor({
  text: ({ feedKey, reader, withParent }: LockedFeed, params) => {
    const key = params.add(int8, feedKey);
    return `WITH seen AS MATERIALIZED (SELECT f.version, f.parent_feed_key FROM feed f WHERE f.feed_key = ${key}
        AND EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = f.feed_key AND ${readableSql('l', reader, params)})),
      locked AS MATERIALIZED (SELECT f.feed_key, f.status, f.version, f.sugg_start_date, f.sugg_end_date, f.deleted_at, f.version <> s.version AS is_newer FROM seen s JOIN feed f ON f.feed_key = ANY (ARRAY[${key}${withParent ? ', s.parent_feed_key' : ''}]) ORDER BY f.feed_key FOR NO KEY UPDATE OF f)
      SELECT status, version, sugg_start_date, sugg_end_date, is_newer FROM locked WHERE feed_key = ${key} AND deleted_at IS NULL`;
  },
  row: {
    status: feedStatus,
    version: int4,
    suggStartDate: nullable(char),
    suggEndDate: nullable(char),
    isNewer: bool,
  },
  samples: [false, true].map((withParent) => ({ feedKey: 1, reader: nobody, withParent })),
});

/** What an import needs to know of feeds, which are locked until its end. */
export const lockFeeds = statement({
  text: `SELECT f.feed_key, f.domain_id, u.time_zone AS unit_zone, f.deleted_at IS NOT NULL AS deleted, f.parent_feed_key, f.sugg_start_date, f.sugg_end_date
    FROM feed f LEFT JOIN unit u ON u.id = f.unit_id WHERE f.feed_key = ANY ($feedKeys) ORDER BY f.feed_key FOR NO KEY UPDATE OF f`,
  params: { feedKeys: int8s },
  row: {
    feedKey: int8,
    domainId: int4,
    unitZone: nullable(text),
    deleted: bool,
    parentFeedKey: nullable(int8),
    suggStartDate: nullable(char),
    suggEndDate: nullable(char),
  },
});

/** Those of the feeds that are their own ancestors. */
export const feedsInCycles = statement({
  text: `WITH RECURSIVE up AS (
      SELECT feed_key AS start, parent_feed_key AS at FROM feed WHERE feed_key = ANY ($feedKeys)
      UNION SELECT up.start, f.parent_feed_key FROM up JOIN feed f ON f.feed_key = up.at WHERE up.at <> up.start)
    SELECT DISTINCT start AS feed_key FROM up WHERE at = start`,
  params: { feedKeys: int8s },
  row: { feedKey: int8 },
});

/** Creates a feed; it has version 1. */
export const createFeed = statementFor({
  text: (args: { feed: ParamsOf<typeof creatable>; now: Date }, params) => {
    const set = given(creatable, args.feed, params);
    const now = params.add(timestamptz, args.now);
    return `INSERT INTO feed (${set.map(([column]) => column).join(', ')}, created_at, last_updated_at)
      VALUES (${set.map(([, value]) => value).join(', ')}, ${now}, ${now}) RETURNING feed_key`;
  },
  row: { feedKey: int8 },
  samples: [
    {
      feed: {
        domain_id: 1,
        kind: 'TASK',
        priority: null,
        feed_type: null,
        feed_type_id: null,
        feed_type_id_desc: null,
        title: '',
        title_fold: '',
        description: null,
        start_at: null,
        end_at: null,
        launch_at: null,
        unit_id: null,
        dept_id: null,
        feed_owner: null,
        assign_to_desc: null,
      },
      now: new Date(0),
    },
  ],
});

/** Inserts feeds of import records, with all their columns; their times are those of the records, or `now`. */
export const insertFeeds = statement({
  text: `INSERT INTO feed (feed_key, domain_id, last_updated_at, ${importable.join(', ')})
    SELECT r.feed_key, r.domain_id, coalesce(r.last_updated_at, $now), ${importableOf('r').replace(/r\.created_at/, 'coalesce($&, $now)')}
    FROM json_populate_recordset(NULL::feed, $rows) r RETURNING feed_key`,
  params: { rows: json, now: timestamptz },
  row: { feedKey: int8 },
});

/** Sets what import records give, where it differs, and returns the feeds that changed. */
export const mergeFeeds = statement({
  text: `UPDATE feed f SET (${importable.join(', ')}) = ROW(${importableOf('r')}), ${RAISED},
      last_updated_at = CASE WHEN g.j ? 'last_updated_at' THEN r.last_updated_at ELSE $now END
    FROM jsonb_array_elements($rows) AS g (j)
    JOIN feed o ON o.feed_key = (g.j ->> 'feed_key')::bigint
    CROSS JOIN LATERAL jsonb_populate_record(o, g.j) r
    WHERE f.feed_key = o.feed_key
      AND ((${importableOf('f')}) IS DISTINCT FROM (${importableOf('r')}) OR (g.j ? 'last_updated_at' AND f.last_updated_at <> r.last_updated_at))
    RETURNING f.feed_key`,
  params: { rows: jsonb, now: timestamptz },
  row: { feedKey: int8 },
});

/** Sets the same on each of these feeds; nothing but version and time where a part of a feed has changed. */
export const changeFeeds = statementFor({
  text: (args: { feedKeys: readonly number[]; change: FeedChange; now: Date }, params) => {
    const set = given(changeable, args.change, params).map((pair) => pair.join(' = '));
    const now = params.add(timestamptz, args.now);
    return `UPDATE feed f SET ${[...set, RAISED].join(', ')}, last_updated_at = ${now}
      WHERE f.feed_key = ANY (${params.add(int8s, args.feedKeys)})`;
  },
  row: {},
  samples: [
    { feedKeys: [], change: {}, now: new Date(0) },
    {
      feedKeys: [],
      change: {
        status: 'N',
        dept_id: 1,
        assign_to_desc: null,
        sugg_start_date: null,
        sugg_end_date: null,
        last_action_at: new Date(0),
        reopened_at: new Date(0),
        has_history: true,
      },
      now: new Date(0),
    },
  ],
});

/** Counts the tasks below feeds, which a bulk load leaves to its end. */
export const countTasks = statement({
  text: 'SELECT FROM feed_task_count_refresh($parents)',
  params: { parents: int8s },
  row: {},
});

/** The given ones of these columns, each with the placeholder of its value. */
function given<C extends Types>(
  columns: C,
  values: Partial<ParamsOf<C>>,
  params: TypedParams,
): [column: string, placeholder: string][] {
  return Object.entries<SqlType<unknown, Param>>(columns).flatMap(([column, type]) => {
    const value = values[column];
    return value === undefined ? [] : [[column, params.add(type, value)]];
  });
}
