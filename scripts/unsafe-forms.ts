import { readdirSync, readFileSync } from 'node:fs';
import {
  actionForms,
  fitting,
  Made,
  statementForms,
  stepForms,
  type Place,
} from './migration-forms.ts';
import { readSql, splitAtCommas, type SqlStatement } from './read-sql.ts';

/** A migration as the check reads it. */
export interface MigrationFiles {
  name: string;
  /** migration.sql, and the steps beside it by their file. */
  files: Readonly<Record<string, string>>;
}

/** What prisma/migrations/release.json records of the last release. */
export interface Released {
  version: string;
  /** Of git: what `npm run test:upgrade` starts from. */
  revision: string;
  /** Its last migration, and how many there were. */
  migration: string;
  migrations: number;
}

const FOLDER = 'prisma/migrations';

/** The migrations of the repository, in their order. */
export function readMigrationFiles(): MigrationFiles[] {
  const names = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => {
    const files = readdirSync(`${FOLDER}/${name}`).filter((file) => file.endsWith('.sql'));
    const texts = files.map((file) => [file, readFileSync(`${FOLDER}/${name}/${file}`, 'utf8')]);
    return { name, files: Object.fromEntries(texts) as Record<string, string> };
  });
}

/** The record of a release, which is to be tagged with its version. */
export function releaseOf(version: string, migrations: readonly MigrationFiles[]): Released {
  const migration = migrations.at(-1)?.name ?? '';
  return { version, revision: `v${version}`, migration, migrations: migrations.length };
}

const REVIEWED = /^-- safe: \S.{9,}$/m;
const CONTRACT = /^-- contract, needs (.+)$/m;

/**
 * What in migrations since the last release could stop those who use the database, or the gateways of that release; one
 * line each, which says what to write instead. Only forms that are known to be safe pass, and those with a reason
 * (`-- safe: …`). Tables that are new since the release are nobody's yet.
 */
export function unsafeForms(migrations: readonly MigrationFiles[], released: Released): string[] {
  const before = migrations.filter(({ name }) => name <= released.migration);
  const faults: string[] = [];
  if (before.at(-1)?.name !== released.migration || before.length !== released.migrations)
    faults.push(
      `there are ${before.length} migrations up to ${released.migration}, and the release had ${released.migrations}: name a new one so that it comes last`,
    );
  const made = new Made();
  for (const { name, files } of migrations) {
    if (name <= released.migration) continue;
    const [, needs] = CONTRACT.exec(files['migration.sql'] ?? '') ?? [];
    const due = `${released.migration} (${released.version})`;
    if (needs !== undefined && needs !== due)
      faults.push(`${name}: a contract needs the last release: -- contract, needs ${due}`);
    const contract = needs !== undefined;
    for (const [file, sql] of Object.entries(files).sort(byNumber)) {
      if (!/^(migration|step-\d+-[\w-]+)\.sql$/.test(file))
        faults.push(`${name}/${file}: a step is called step-1-what-it-does.sql`);
      for (const fault of faultsOf(file, sql, { made, contract }))
        faults.push(`${name}/${file}: ${fault}`);
    }
  }
  return faults;
}

const byNumber = ([a]: [string, string], [b]: [string, string]): number =>
  Number(a.split('-')[1] ?? 0) - Number(b.split('-')[1] ?? 0);

function faultsOf(file: string, sql: string, place: Place): string[] {
  const isStep = file !== 'migration.sql';
  const statements = readSql(sql);
  const faults: string[] = [];
  if (isStep && !/^-- (while|before) serving\n/.test(sql))
    faults.push(
      `the first line says whether gateways wait for it: "-- while serving" or "-- before serving"`,
    );
  if (isStep && statements.length !== 1) faults.push('a step is one statement');
  for (const statement of statements) {
    const fault = isStep ? faultOfStep(statement, place) : faultOfStatement(statement, place);
    if (fault !== undefined && !REVIEWED.test(statement.comment))
      faults.push(`${fault}\n      ${statement.raw.replace(/\s+/g, ' ').slice(0, 100)}`);
  }
  return faults;
}

function faultOfStatement(statement: SqlStatement, place: Place): string | undefined {
  const [, table = '', first = ''] =
    /^alter table (?:if exists )?(?:only )?(\w+) ((?!rename )\w+)/.exec(statement.text) ?? [];
  if (first === '') return fitting(statementForms, statement.text, place);
  if (place.made.tables.has(table)) return undefined;
  const actions = splitAtCommas(statement.tokens.slice(statement.tokens.indexOf(table) + 1));
  for (const action of actions) {
    const fault = faultOfAction(action, table, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** NOT NULL may be set where a validated CHECK already says so: PostgreSQL then looks at no row. */
function faultOfAction(action: string, table: string, place: Place): string | undefined {
  const { notNulls, filled } = place.made;
  const [, constraint = '', checked] =
    /^add constraint (\w+) check \( \(* ?(\w+) is not null \)* ?\) not valid$/.exec(action) ?? [];
  if (checked !== undefined) notNulls.set(constraint, `${table} ${checked}`);
  const [, column] = /^alter (?:column )?(\w+) set not null$/.exec(action) ?? [];
  if (column === undefined) return fitting(actionForms, action, place);
  return filled.has(`${table} ${column}`)
    ? undefined
    : `SET NOT NULL looks at every row: first ADD CONSTRAINT … CHECK (${column} IS NOT NULL) NOT VALID, VALIDATE it in a step before serving, and set it in a later migration`;
}

const faultOfStep = ({ text }: SqlStatement, place: Place): string | undefined =>
  fitting(stepForms, text, place);
