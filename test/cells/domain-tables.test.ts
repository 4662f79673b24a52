import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  copiedTables,
  domainTables,
  installationTables,
} from '../../src/core/database/copy/domain-tables.ts';

const schema = readFileSync(
  fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url)),
  'utf8',
);

interface Model {
  table: string;
  /** Names of columns by those of fields. */
  columns: Map<string, string>;
  key: string[];
  /** Tables that its rows refer to, with the column. */
  refersTo: { column: string; table: string }[];
}

const blocks = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(
  ([, name = '', body = '']) => ({
    name,
    body,
    table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
  }),
);
const tableOfModel = new Map(blocks.map(({ name, table }) => [name, table]));

const models: Model[] = blocks.map(({ body, table }) => {
  const columns = new Map<string, string>();
  const refersTo: Model['refersTo'] = [];
  let key: string[] = [];
  for (const line of body.split('\n')) {
    const [, field = '', type = ''] = /^ {2}(\w+)\s+(\w+)/.exec(line) ?? [];
    const relation = /@relation\(.*fields: \[(\w+)\]/.exec(line)?.[1];
    if (relation !== undefined)
      refersTo.push({
        column: columns.get(relation) ?? relation,
        table: tableOfModel.get(type) ?? type,
      });
    else if (field !== '' && !tableOfModel.has(type))
      columns.set(field, /@map\("(\w+)"\)/.exec(line)?.[1] ?? field);
    if (/ @id\b/.test(line)) key = [columns.get(field) ?? field];
    const fields = /@@id\(\[(.*?)\]/.exec(line)?.[1]?.split(', ');
    if (fields) key = fields.map((one) => columns.get(one) ?? one);
  }
  return { table, columns, key, refersTo };
});
const modelOf = new Map(models.map((model) => [model.table, model]));

it('finds the models of the schema', () => {
  expect(models.length).toBeGreaterThan(50);
  expect(modelOf.get('feed_user_state')).toMatchObject({
    key: ['user_id', 'feed_key'],
    refersTo: [
      { column: 'user_id', table: 'user' },
      { column: 'feed_key', table: 'feed' },
    ],
  });
});

it('says of every table of schema.prisma whether its rows belong to domains, and how', () => {
  const said = [...domainTables.map(({ name }) => name), ...Object.keys(installationTables)];
  expect(said.sort()).toEqual(models.map(({ table }) => table).sort());
});

it.each(domainTables)(
  'knows the key and the columns of $name',
  ({ name, key, belongs, own, file }) => {
    const model = modelOf.get(name);
    const columns = [...(model?.columns.values() ?? [])];
    expect(key).toEqual(model?.key);
    const named = belongs.flatMap(({ column, only }) => [column, ...(only ? [only[0]] : [])]);
    for (const column of [...named, ...(own ?? []), ...(file === undefined ? [] : [file])])
      expect(columns).toContain(column);
  },
);

it.each(domainTables)('has the tables that rows of $name refer to before it', ({ name }) => {
  const place = (table: string): number => domainTables.findIndex((one) => one.name === table);
  for (const { table } of modelOf.get(name)?.refersTo ?? [])
    if (table !== name) expect(place(table), table).toBeLessThan(place(name));
});

it('takes a column that names files of the storage for one', () => {
  const naming = models
    .filter(({ columns }) => columns.has('storageKey'))
    .map(({ table }) => table);
  expect(
    copiedTables.flatMap(({ name, file }) => (file === undefined ? [] : [name])).sort(),
  ).toEqual(naming.sort());
});
