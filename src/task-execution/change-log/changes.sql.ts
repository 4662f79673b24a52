import { ARRIVAL } from '../../auth/identify.sql.ts';
import { cellStatementFor, statement, statementFor, unseen } from '../../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  char,
  float8,
  instantText,
  int2,
  int4,
  int4s,
  int8,
  int8s,
  nullable,
  text,
  timestamptz,
  uuid,
} from '../../core/sql/types.ts';
import { columnTypes } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedLayout } from '../feeds/fields/feed-row.ts';
import {
  listingsSql,
  readableSql,
  type FeedReader,
} from '../feeds/selection/feed-visibility.sql.ts';
import type { LogRange } from './change-position.ts';

/** Most rows of the log that one statement examines: limits the work for a client that was away for long. */
const SCANNED = 20_000;
/** Most feeds that are looked up one by one. */
const FEW = 500;
/** Rows of the log that the streams of a process read at once. */
export const STREAM_PAGE = 2_000;

/**
 * The name of the log of a domain `d`: another one each time that the domain comes from elsewhere, whose changes are
 * not in it.
 */
const LOG = `s.log_id || ${ARRIVAL}`;

const HEAD = `SELECT ${LOG} AS log_id, pg_current_snapshot()::text AS now, s.horizon_xid, greatest(s.horizon_xid - 1,
      (SELECT xid FROM change_mark ORDER BY at DESC, id DESC LIMIT 1),
      (SELECT max(c.xid) FROM unnest(${unseen('$domainIds::int[]')}) AS d (id) CROSS JOIN LATERAL (
        SELECT xid FROM change_log WHERE domain_id = d.id ORDER BY xid DESC LIMIT 1) c)) AS last
    FROM change_log_state s LEFT JOIN domain d ON d.id = ${unseen('($domainIds::int[])[1]')}`;
const headRow = { logId: text, now: text, horizonXid: int8, last: int8 };

/**
 * How far the log has come, under its name for the first of some domains; see LogHead. `last` is a transaction that has
 * committed, none of these domains after it.
 */
export const logHead = statement({ text: HEAD, params: { domainIds: int4s }, row: headRow });

/** The last mark of that age in milliseconds, whether the log is younger, and whether the domain has come since. */
export const markOfAge = statement({
  text: `WITH t AS (SELECT clock_timestamp() - $age::bigint * interval '1 millisecond' AS at)
    SELECT (SELECT m.snapshot FROM change_mark m, t WHERE m.at <= t.at ORDER BY m.at DESC, m.id DESC LIMIT 1) AS snapshot,
      coalesce(s.started_at > t.at, false) AS is_younger, coalesce(d.arrived_at > t.at, false) AS has_come_since
    FROM t, change_log_state s, domain d WHERE d.id = $domainId`,
  params: { age: int8, domainId: int4 },
  row: { snapshot: nullable(text), isYounger: bool, hasComeSince: bool },
});

/**
 * What in these ranges may concern a user, in no order, at most `most` rows; and, without a feed, the row up to which
 * the log was examined, if that is not its end. Each feed is looked up once. With OFFSET 0, a few feeds are looked up
 * one by one; otherwise PostgreSQL, which expects the maximum number, would read the whole lists. For many feeds it may.
 */
export const changesFor = statementFor({
  text: (
    args: {
      ranges: readonly LogRange[];
      domainId: number;
      userId: number;
      reader: FeedReader;
      feedKeys?: readonly number[] | undefined;
      most: number;
    },
    params,
  ) => {
    const ranges = (['low', 'after', 'high'] as const).map((bound) => {
      const values = args.ranges.map((range) => range[bound]);
      return unseen(`${params.add(int8s, values)}::bigint[]`);
    });
    const domain = params.add(int4, args.domainId);
    const me = params.add(int4, args.userId);
    const keys = args.feedKeys
      ? `AND (c.feed_key = ANY (${params.add(int8s, args.feedKeys)}::bigint[]) OR c.op = 'M')`
      : '';
    const inLists = readableSql('l', args.reader, params);
    const mine = `(c.audience_user_id IS NULL OR c.audience_user_id = ${me}) ${keys}`;
    return `WITH scanned AS MATERIALIZED (
       SELECT c.* FROM unnest(${ranges.join(', ')}) AS r (low, after, high) CROSS JOIN LATERAL (
         SELECT * FROM change_log c WHERE c.domain_id = ${domain} AND (c.xid, c.seq) > (r.low, r.after) AND c.xid < r.high ORDER BY c.xid, c.seq LIMIT ${SCANNED}) c
       ORDER BY c.xid, c.seq LIMIT ${SCANNED}
     ), changed AS MATERIALIZED (
       SELECT DISTINCT c.feed_key FROM scanned c WHERE c.op NOT IN ('M', 'L') AND ${mine}
     ), readable AS MATERIALIZED (
       SELECT feed_key FROM changed c WHERE (SELECT count(*) FROM changed) <= ${FEW}
         AND EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = c.feed_key AND ${inLists} OFFSET 0)
       UNION ALL SELECT l.feed_key FROM feed_listing l WHERE (SELECT count(*) FROM changed) > ${FEW}
         AND l.feed_key IN (SELECT feed_key FROM changed) AND ${inLists}
     ), found AS (
       SELECT * FROM scanned c WHERE ${mine} AND CASE c.op
         WHEN 'M' THEN true WHEN 'L' THEN ${readableSql('c', args.reader, params)}
         ELSE c.feed_key IN (SELECT feed_key FROM readable) END
       ORDER BY c.xid, c.seq LIMIT ${args.most}
     )
     SELECT xid, seq, feed_key, op, changed_at FROM found
     UNION ALL (SELECT xid, seq, NULL, NULL, NULL FROM scanned ORDER BY xid, seq OFFSET ${SCANNED - 1} LIMIT 1)`;
  },
  row: {
    xid: int8,
    seq: int8,
    feedKey: nullable(int8),
    op: nullable(char),
    changedAt: nullable(instantText),
  },
  samples: [
    [{ list: 10, subjectId: 1 }],
    [
      { list: 10, subjectId: 1 },
      { list: 20, subjectId: 2 },
    ],
  ].flatMap((lists) =>
    [undefined, [1]].map((feedKeys) => ({
      ranges: [{ low: 1, after: -1, high: 2 }],
      domainId: 1,
      userId: 1,
      reader: { lists, homeDeptIds: [1] },
      feedKeys,
      most: 100,
    })),
  ),
});

/**
 * What was written in some ranges of the log of some domains, in its order, and how far the log has come, as one snapshot:
 * at least one row, of nulls if nothing was written. `lists` has those of a feed that changed or that a user marked.
 */
export const loggedChanges = statement({
  text: `SELECT h.*, c.*, CASE WHEN c.op IN ('U', 'S') THEN ${listingsSql('c.feed_key')} END AS lists
    FROM (${HEAD}) h LEFT JOIN LATERAL (
      SELECT c.xid, c.seq, c.feed_key, c.op, c.audience_user_id, c.list, c.subject_id, c.confidential_dept, c.changed_at
      FROM unnest(${unseen('$domainIds::int[]')}) AS d (id) CROSS JOIN unnest(${unseen('$low::bigint[]')}, ${unseen('$after::bigint[]')}, ${unseen('$high::bigint[]')}) AS r (low, after, high) CROSS JOIN LATERAL (
        SELECT * FROM change_log c WHERE c.domain_id = d.id AND (c.xid, c.seq) > (r.low, r.after) AND c.xid < r.high ORDER BY c.xid, c.seq LIMIT ${STREAM_PAGE}) c
      ORDER BY c.xid, c.seq LIMIT ${STREAM_PAGE}) c ON true ORDER BY c.xid, c.seq`,
  params: { domainIds: int4s, low: int8s, after: int8s, high: int8s },
  row: {
    ...headRow,
    xid: nullable(int8),
    seq: nullable(int8),
    feedKey: nullable(int8),
    op: nullable(char),
    audienceUserId: nullable(int4),
    list: nullable(int2),
    subjectId: nullable(int4),
    confidentialDept: nullable(int4),
    changedAt: nullable(instantText),
    lists: nullable(text),
  },
});

/** How many rows of a domain some ranges of the log have, counted up to `most`. */
export const countOfChanges = statement({
  text: `SELECT count(*) FROM (SELECT FROM unnest(${unseen('$low::bigint[]')}, ${unseen('$after::bigint[]')}, ${unseen('$high::bigint[]')}) AS r (low, after, high) CROSS JOIN LATERAL (
      SELECT FROM change_log c WHERE c.domain_id = $domainId AND (c.xid, c.seq) > (r.low, r.after) AND c.xid < r.high ORDER BY c.xid, c.seq LIMIT $most) c LIMIT $most) c`,
  params: { low: int8s, after: int8s, high: int8s, domainId: int4, most: int8 },
  row: { count: int8 },
});

/** Seconds since the first change of any domain that a snapshot does not see; `low` is its lowest transaction. */
export const lagBehind = statement({
  text: `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(c.changed_at)), 0)::float8 AS seconds FROM domain d CROSS JOIN LATERAL (
      SELECT changed_at FROM change_log WHERE domain_id = d.id AND xid >= $low AND NOT pg_visible_in_snapshot(xid::text::xid8, $seen::text::pg_snapshot) ORDER BY xid, seq LIMIT 1) c`,
  params: { low: int8, seen: text },
  row: { seconds: float8 },
});

/** Feeds for users: the columns of the layout, the lists of the feed, and the place of the pair. */
export const liveFeeds = cellStatementFor({
  text: (
    args: {
      layout: FeedLayout;
      pairs: readonly { userId: number; overdueBefore: string; feedKey: number }[];
    },
    params,
  ) => {
    const users = params.add(
      int4s,
      args.pairs.map(({ userId }) => userId),
    );
    const overdue = params.add(
      arrayOf(instantText),
      args.pairs.map(({ overdueBefore }) => overdueBefore),
    );
    const keys = params.add(
      int8s,
      args.pairs.map(({ feedKey }) => feedKey),
    );
    const columns = args.layout.sql
      .replace(/(?<!:):user\b/g, 'v.user_id')
      .replace(/(?<!:):overdueBefore\b/g, 'v.overdue_before');
    return `SELECT ${columns}, ${listingsSql('f.feed_key')} AS lists, v.place
    FROM unnest(${unseen(`${users}::int[]`)}, ${unseen(`${overdue}::timestamptz[]`)}, ${unseen(`${keys}::bigint[]`)}) WITH ORDINALITY AS v (user_id, overdue_before, feed_key, place)
    JOIN feed f ON f.feed_key = v.feed_key LEFT JOIN feed_user_state s ON s.user_id = v.user_id AND s.feed_key = f.feed_key`;
  },
  columns: ({ layout }) => ({
    ...columnTypes(layout.columns.keys()),
    lists: nullable(text),
    place: int8,
  }),
});

/** Those of the sessions that still let their users in. */
export const openSessions = statement({
  text: `SELECT s.id FROM session s JOIN "user" u ON u.id = s.user_id
    WHERE s.id = ANY ($ids) AND s.revoked_at IS NULL AND s.expires_at > $now AND s.absolute_expires_at > $now AND u.disabled_at IS NULL`,
  params: { ids: arrayOf(uuid), now: timestamptz },
  row: { id: uuid },
});

/**
 * Where the log of a domain ends. It is ordered by the start of transactions: one that began before the newest entry
 * and is still open may yet insert entries below it, and so is among `open`.
 */
export const logEnd = statement({
  text: `SELECT ${LOG} AS log_id, s.horizon_xid, c.xid, c.seq,
      array_to_string(ARRAY(SELECT x FROM pg_snapshot_xip(pg_current_snapshot()) AS x WHERE x::text::bigint < c.xid), ',') AS open
    FROM change_log_state s LEFT JOIN domain d ON d.id = $domainId LEFT JOIN LATERAL (SELECT xid, seq FROM change_log WHERE domain_id = $domainId ORDER BY xid DESC, seq DESC LIMIT 1) c ON true`,
  params: { domainId: int4 },
  row: {
    logId: text,
    horizonXid: int8,
    xid: nullable(int8),
    seq: nullable(int8),
    open: nullable(text),
  },
});

/** When the next feed of these lists ends. */
export const nextEnd = statement({
  text: `SELECT min(e.end_sort) AS end_sort FROM unnest($lists::smallint[], $subjectIds::int[]) AS w (list, subject_id)
    CROSS JOIN LATERAL (SELECT l.end_sort FROM feed_listing l WHERE l.list = w.list AND l.subject_id = w.subject_id AND l.end_sort >= $from
      ORDER BY l.end_sort LIMIT 1) e`,
  params: { lists: arrayOf(int2), subjectIds: int4s, from: timestamptz },
  row: { endSort: nullable(instantText) },
});
