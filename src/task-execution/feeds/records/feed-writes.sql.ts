import type { Param } from '../../../core/wire/wire.ts';
import { statement, statementFor, type TypedParams } from '../../../core/sql/statement.ts';
import {
  arrayOf,
  bool,
  char,
  int4,
  int8,
  nullable,
  oneOf,
  text,
  timestamptz,
  type ParamsOf,
  type SqlType,
  type Types,
} from '../../../core/sql/types.ts';
import { feedStatuses, type FeedStatus } from '../../terms/feed-status.ts';

// What writes the table `feed`: no other file does, see test/architecture.test.ts. Every statement sets last_updated_at
// here, and a change raises the version.

const int8s = arrayOf(int8);
const feedStatus = { ...oneOf<FeedStatus>(...feedStatuses), name: char.name };

/** Columns that a change sets. */
const changeable = {
  status: feedStatus,
  dept_id: int4,
  assign_to_desc: nullable(text),
  sugg_start_date: nullable(char),
  sugg_end_date: nullable(char),
  last_action_at: timestamptz,
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

const RAISED = 'version = f.version + 1';

/** A feed, locked until the end of the transaction. */
export const lockFeed = statement({
  text: `SELECT status, version, sugg_start_date, sugg_end_date FROM feed
    WHERE feed_key = $feedKey AND deleted_at IS NULL FOR UPDATE`,
  params: { feedKey: int8 },
  row: {
    status: feedStatus,
    version: int4,
    suggStartDate: nullable(char),
    suggEndDate: nullable(char),
  },
});

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
        has_history: true,
      },
      now: new Date(0),
    },
  ],
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
