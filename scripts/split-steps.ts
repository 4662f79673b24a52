import { readSql } from './read-sql.ts';

/**
 * The files of a migration that Prisma wrote as one: what would hold up a table that is there already goes to steps. Foreign
 * keys of new tables stay, as these have no rows.
 */
export function splitSteps(sql: string): Record<string, string> {
  const made = new Set<string>();
  const steps: Record<string, string> = {};
  let rest = sql;
  const step = (words: string, statement: string): void => {
    const number = Object.keys(steps).length + 1;
    steps[`step-${number}-${words}.sql`] = `-- while serving\n${statement}\n`;
  };
  for (const { text, raw } of readSql(sql)) {
    const table = /^create table (\w+)/.exec(text)?.[1];
    if (table !== undefined) made.add(table);
    const [, index = '', indexed = ''] =
      /^create (?:unique )?index (\w+) on (\w+)/.exec(text) ?? [];
    if (index !== '' && !made.has(indexed)) {
      rest = rest.replace(new RegExp(`(-- CreateIndex\\n)?${escape(raw)}\\n*`), '');
      step(index, raw.replace('INDEX', 'INDEX CONCURRENTLY'));
    }
    const [, from = '', key = ''] =
      /^alter table (\w+) add constraint (\w+) foreign key /.exec(text) ?? [];
    if (key !== '' && !made.has(from)) {
      rest = rest.replace(raw, () => raw.replace(/;?$/, ' NOT VALID;'));
      step(key, `ALTER TABLE "${from}" VALIDATE CONSTRAINT "${key}";`);
    }
  }
  // Some migrations are nothing but steps.
  return { 'migration.sql': rest.trim() === '' ? '-- see its steps\n' : rest, ...steps };
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
