const MOMENT = 'lets readers and writers of the table wait';

/** What is new since the release, in the order of the migrations. */
export class Made {
  readonly tables = new Set<string>();
  readonly indexes = new Set<string>();
  readonly others = new Set<string>();
  /** CHECK (… IS NOT NULL) by name, as `table column`. */
  readonly notNulls = new Map<string, string>();
  /** Of those, what has been validated. */
  readonly filled = new Set<string>();
}

/** Where a statement stands. */
export interface Place {
  made: Made;
  contract: boolean;
}

/** The first form that fits decides; `undefined` is safe. */
export type Form = [RegExp, (match: RegExpExecArray, place: Place) => string | undefined];

const safe = (): undefined => undefined;
const onlyContract =
  (what: string) =>
  (_: RegExpExecArray, { contract }: Place): string | undefined =>
    contract
      ? undefined
      : `${what} is a contract: do it in the release after the one that stopped using it, with "-- contract, needs …"`;

const note =
  (kind: 'tables' | 'others', otherwise?: Form[1]) =>
  (match: RegExpExecArray, place: Place): string | undefined => {
    if (otherwise && !place.made[kind].has(match[1] ?? '')) return otherwise(match, place);
    place.made[kind].add(match[1] ?? '');
    return undefined;
  };

const BACK_FILL = 'fill rows in batches, in a step';

/** Of statements in migration.sql. */
export const statementForms: Form[] = [
  [/^drop .* , /, () => 'one DROP each: they are looked up by name'],
  [
    /^create table .* as (select|with|table)\b/,
    () => `CREATE TABLE … AS reads all rows: create it empty, and ${BACK_FILL}`,
  ],
  [/^create table (?:if not exists )?(\w+) \(/, note('tables')],
  [
    /^create (?:unique )?index concurrently /,
    () =>
      'CREATE INDEX CONCURRENTLY can not be in a transaction: write it to a file of its own, step-1-….sql',
  ],
  [
    /^create (?:unique )?index (?:if not exists )?(\w+) on (?:only )?(\w+)/,
    ([, index = '', table = ''], { made }) => {
      if (!made.tables.has(table))
        return `CREATE INDEX lets writers of ${table} wait until it is made: write CREATE INDEX CONCURRENTLY to step-1-….sql`;
      made.indexes.add(index);
      return undefined;
    },
  ],
  [
    /^alter table (?:if exists )?(?:only )?(\w+) rename /,
    ([, table = ''], { made }) =>
      made.tables.has(table)
        ? undefined
        : 'RENAME breaks the gateways of the last release: add the new name, fill it by a trigger and a step, and drop the old one in the next release',
  ],
  [/^drop table (?:if exists )?(\w+)/, note('tables', onlyContract('DROP TABLE'))],
  [
    /^drop index (?:concurrently )?(?:if exists )?(\w+)/,
    ([, index = ''], { made }) =>
      made.indexes.has(index)
        ? undefined
        : `DROP INDEX ${MOMENT}: write DROP INDEX CONCURRENTLY IF EXISTS to step-1-….sql of a contract`,
  ],
  [/^create (?:or replace )?(?:constraint )?trigger (\w+) /, note('others')],
  [
    /^create (?:or replace )?(?:function|procedure|view|sequence|type|domain|statistics) (?:if not exists )?(\w+)/,
    note('others'),
  ],
  [
    /^drop trigger (?:if exists )?(\w+) on (\w+)/,
    (match, place) =>
      place.made.others.has(match[1] ?? '') || place.made.tables.has(match[2] ?? '')
        ? undefined
        : place.contract
          ? undefined
          : 'DROP TRIGGER takes away what gateways of the last release rely on: CREATE OR REPLACE TRIGGER, or a contract',
  ],
  [
    /^drop (?:function|procedure|view|sequence|type|domain) (?:if exists )?(\w+)/,
    note('others', onlyContract('DROP')),
  ],
  [/^alter type \w+ add value /, safe],
  [/^comment on /, safe],
  [/^set local /, safe],
  [
    /^insert into (\w+) .*?\b(values|select)\b/,
    ([, , source]) =>
      source === 'values' ? undefined : `INSERT … SELECT reads whole tables: ${BACK_FILL}`,
  ],
  [
    /^(?:update|delete from) (?:only )?(\w+)/,
    ([, table = ''], { made }) =>
      made.tables.has(table)
        ? undefined
        : `UPDATE and DELETE hold rows of ${table} until the migration ends: ${BACK_FILL}`,
  ],
  [
    /^(?:lock|truncate|cluster|vacuum|reindex|refresh) /,
    () => `this ${MOMENT}; there is no safe form`,
  ],
  [/^do /, () => 'what DO runs can not be checked: write plain statements'],
  [
    /^(?:begin|commit|rollback|start transaction)\b/,
    () => 'a migration is one transaction already',
  ],
];

const CONSTANT =
  /^(?:- )?(?:''|\d+(?:\.\d+)?|true|false|null|array \[ \]|current_timestamp|now \( \))(?: :: \w+(?: \( \d+ \))?(?: \[ \])?)*(?: not null| null)*$/;

/** Of the actions of ALTER TABLE, on tables of the release. */
export const actionForms: Form[] = [
  [
    /^add column (?:if not exists )?(\w+) (.*)$/,
    ([, column = '', type = '']) => {
      if (/\bgenerated always as \(|\bas identity\b|^(?:small|big)?serial\b/.test(type))
        return 'such a column is computed for every row while the table is locked: add it plain, with a trigger, and fill it in a step';
      if (/\b(?:unique|primary key)\b/.test(type))
        return 'a unique column makes its index while the table is locked: CREATE UNIQUE INDEX CONCURRENTLY in a step';
      if (/\b(?:references|check)\b/.test(type))
        return 'a constraint of a new column looks at every row: add it by itself, NOT VALID, and validate it in a step';
      const [, value] = / ?\bdefault (.*)$/.exec(type) ?? [];
      if (value === undefined)
        return /\bnot null\b/.test(type)
          ? `ADD COLUMN ${column} NOT NULL needs a DEFAULT: rows, and gateways of the last release, have no value`
          : undefined;
      return CONSTANT.test(value)
        ? undefined
        : 'a DEFAULT that is computed for each row writes the table anew: add the column without, then SET DEFAULT, and fill it in a step';
    },
  ],
  [
    /^alter (?:column )?\w+ (?:set data )?type /,
    () =>
      'ALTER COLUMN TYPE writes the table anew: add another column, fill it by a trigger and a step, and drop the old one in the next release',
  ],
  [/^alter (?:column )?(\w+) set default /, safe],
  [/^alter (?:column )?\w+ drop default/, onlyContract('DROP DEFAULT')],
  [/^alter (?:column )?\w+ (?:drop not null|set \(|reset \(|set statistics|set storage)/, safe],
  [/^add constraint \w+ (?:foreign key|check) .*\bnot valid$/, safe],
  [
    /^add constraint \w+ (?:foreign key|check) /,
    () =>
      'a constraint looks at every row: end it with NOT VALID, and write ALTER TABLE … VALIDATE CONSTRAINT to step-1-….sql',
  ],
  [/^add constraint \w+ unique using index /, safe],
  [
    /^add (?:constraint \w+ )?(?:unique|primary key|exclude) /,
    () =>
      'this makes an index while the table is locked: CREATE UNIQUE INDEX CONCURRENTLY in a step; a later migration may then ADD CONSTRAINT … UNIQUE USING INDEX',
  ],
  [
    /^validate constraint /,
    () =>
      'VALIDATE looks at every row, behind the locks of the same transaction: write it to step-1-….sql',
  ],
  [/^drop constraint /, safe],
  [/^drop (?:column )?/, onlyContract('DROP COLUMN')],
  [/^(?:set|reset) \(/, safe],
];

const BATCH =
  /^with batch as \( select .*\$1.* limit (\d+) for (?:no key )?update (?:skip locked )?\) ?, .*\b(?:update|insert|delete)\b.* select batch \. (\w+) :: text from batch order by batch \. \2 desc limit 1$/;
const MOST_ROWS = 10_000;

/** Of the statement of a step. */
export const stepForms: Form[] = [
  [
    /^create (?:unique )?index concurrently if not exists /,
    () => 'IF NOT EXISTS would take what a failed attempt left: leave it out',
  ],
  [
    /^create (?:unique )?index concurrently (\w+) on /,
    ([, index = ''], { made }) => void made.indexes.add(index),
  ],
  [
    /^drop index concurrently (?!if exists )/,
    () => 'a step that was interrupted runs again, and finds no index: write IF EXISTS',
  ],
  [
    /^drop index concurrently if exists (\w+)/,
    (match, place) =>
      place.made.indexes.has(match[1] ?? '') ? undefined : onlyContract('DROP INDEX')(match, place),
  ],
  [
    /^alter table (?:only )?\w+ validate constraint (\w+)$/,
    ([, constraint = ''], { made }) => {
      const column = made.notNulls.get(constraint);
      if (column !== undefined) made.filled.add(column);
      return undefined;
    },
  ],
  [/^analyze \w+$/, safe],
  [
    BATCH,
    ([, limit]) =>
      Number(limit) <= MOST_ROWS ? undefined : `a batch has at most ${MOST_ROWS} rows`,
  ],
  [
    /\$1/,
    () =>
      'a back-fill is WITH batch AS (SELECT key … WHERE key > coalesce($1, first) ORDER BY key LIMIT 1000 FOR UPDATE), … UPDATE … SELECT batch.key::text FROM batch ORDER BY batch.key DESC LIMIT 1',
  ],
];

/** What the form that fits says; a statement that fits none is refused. */
export function fitting(forms: readonly Form[], text: string, place: Place): string | undefined {
  for (const [pattern, judge] of forms) {
    const match = pattern.exec(text);
    if (match) return judge(match, place);
  }
  return 'not among the forms that are known to be safe (CONTRIBUTING.md, "Safe forms"). If it is, say why on the line before: -- safe: …';
}
