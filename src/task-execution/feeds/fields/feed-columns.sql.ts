import { nullable, type Types } from '../../../core/sql/types.ts';
import { feedCodec } from './feed-codecs.ts';
import type { FeedField } from './feed-field.ts';
import { feedFields, graphqlName, type FeedFieldName } from './feed-fields.ts';

/** A flag of the viewer, which REST has as this field. */
function viewerFlag(name: FeedFieldName, more = ''): FeedField {
  const { sql, description, isDefault } = feedFields[name];
  const rest = `\`${name}\`${isDefault ? '' : ' (additional)'}`;
  return { type: 'flag', sql, description: `${description} REST: ${rest}${more}.` };
}

/** The flags of the viewer, by the names that the filter and `setFeedState` have for them. */
export const viewerFlags = {
  pinned: viewerFlag('pin'),
  favorite: viewerFlag('favorite_flag'),
  acknowledged: viewerFlag('acknowledged_flag', ', and `acknowledge_flag` (additional)'),
  promoted_to_note: viewerFlag('promote_to_note_flag'),
  watched: viewerFlag('watch_flag'),
};

/** Columns that only GraphQL shows, in addition to the documented fields. */
export const feedDetails = {
  kind: {
    type: 'text',
    sql: 'f.kind',
    description: 'What it is: a project, a task, a message or a walk.',
  },
  version: {
    type: 'integer',
    sql: 'f.version',
    description: 'Number that increases with every change; send it as `expectedVersion`.',
  },
  starts_at: {
    type: 'instant',
    sql: 'f.start_at',
    description: 'Instant of its start; null if it has none. REST: `start_date_utc`.',
  },
  ends_at: {
    type: 'instant',
    sql: 'f.end_at',
    description: 'Instant of its end; null if it has none. REST: `end_date_utc`.',
  },
  suggested_start_date: {
    type: 'day',
    sql: 'f.sugg_start_date',
    description:
      'First day that somebody suggested; null if nobody has. REST, only written: `sugg_start_date_val`.',
  },
  suggested_end_date: {
    type: 'day',
    sql: 'f.sugg_end_date',
    description:
      'Last day that somebody suggested; null if nobody has. REST, only written: `sugg_end_date_val`.',
  },
  parent_feed_key: {
    type: 'bigInteger',
    sql: 'f.parent_feed_key',
    description: 'Key of the feed above.',
  },
  ...viewerFlags,
} as const satisfies Record<string, FeedField>;

const NAMES_OF = (subject: string, name: string): string =>
  `(SELECT string_agg(n.${name}, ', ' ORDER BY n.${name}) FROM feed_assignment a JOIN ${subject === 'user' ? '"user"' : subject} n ON n.id = a.${subject}_id WHERE a.feed_key = f.feed_key)`;

/** Columns that only calendars show. */
const calendarColumns = {
  icon: {
    type: 'text',
    sql: "CASE WHEN jsonb_typeof(f.panel_config->'icon') = 'string' THEN f.panel_config->>'icon' END",
    description: 'Icon in the configuration of its panel; null if it names none.',
  },
  has_attachment: { type: 'boolean', sql: 'f.has_attachment', description: 'A file is attached.' },
  description_start: {
    type: 'text',
    sql: 'left(f.description, 8000)',
    description: 'The first 8,000 characters of its description.',
  },
  assigned_role: {
    type: 'text',
    sql: '(SELECT coalesce(a.assigned_role_text, a.role) FROM feed_assignment a WHERE a.feed_key = f.feed_key ORDER BY a.user_id = :user DESC NULLS LAST, a.id LIMIT 1)',
    description: 'Role of the assignment: yours if there is one, else the first.',
  },
  assigned_to: {
    type: 'text',
    sql: `coalesce(${NAMES_OF('user', 'display_name')}, ${NAMES_OF('dept', 'name')}, ${NAMES_OF('unit', 'name')}, f.assign_to_desc)`,
    description: 'The persons that it is assigned to, else the departments, else the units.',
  },
  legend_id: {
    type: 'integer',
    sql: '(SELECT g.legend_id FROM feed_legend g WHERE g.feed_key = f.feed_key)',
    description: 'Legend in the leadership calendar.',
  },
} as const satisfies Record<string, FeedField>;

/** Any column of a feed row. */
export type FeedColumn = FeedFieldName | keyof typeof feedDetails | keyof typeof calendarColumns;

/** The definition of any column. */
export const feedColumns: Readonly<Record<FeedColumn, FeedField>> = {
  ...feedFields,
  ...feedDetails,
  ...calendarColumns,
};

/** The types of columns, by their SQL. */
export function columnTypes(columns: Iterable<FeedColumn>): Types {
  const fields = [...columns].map((column): FeedField => feedColumns[column]);
  return Object.fromEntries(
    fields.map(({ sql, type, stored = feedCodec(type).stored }) => [sql, nullable(stored)]),
  );
}

export function isFeedColumn(name: string): name is FeedColumn {
  return name in feedColumns;
}

/** The column behind a GraphQL field of Feed. */
export const columnOf: ReadonlyMap<string, FeedColumn> = new Map([
  ...Object.keys(feedColumns)
    .filter(isFeedColumn)
    .map((name) => [graphqlName(name), name] as const),
  ['parent', 'parent_feed_key'],
]);
