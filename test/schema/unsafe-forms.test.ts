import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSql } from '../../scripts/read-sql.ts';
import { splitSteps } from '../../scripts/split-steps.ts';
import {
  readMigrationFiles,
  releaseOf,
  unsafeForms,
  type Released,
} from '../../scripts/unsafe-forms.ts';

const released = { version: '0.2.0', revision: 'v0.2.0', migration: '1_base', migrations: 1 };
const base = {
  name: '1_base',
  files: { 'migration.sql': 'CREATE TABLE "user" ("id" int); UPDATE "user" SET id = 1' },
};
const CONTRACT = '-- contract, needs 1_base (0.2.0)\n';

const check = (files: Record<string, string>): string[] =>
  unsafeForms([base, { name: '2_new', files: { 'migration.sql': '', ...files } }], released);
const inMigration = (sql: string): string[] => check({ 'migration.sql': sql });
const inStep = (sql: string, head = '-- while serving\n'): string[] =>
  check({ 'step-1-x.sql': head + sql });

const FILL = `WITH batch AS (SELECT "id" FROM "image" WHERE "id" > coalesce($1, '0')::uuid ORDER BY "id" LIMIT 1000 FOR UPDATE),
  filled AS (UPDATE "image" i SET "x" = 1 FROM batch WHERE i."id" = batch."id")
SELECT batch."id"::text FROM batch ORDER BY batch."id" DESC LIMIT 1;`;

describe('in the transaction', () => {
  it.each([
    'CREATE TABLE "tag" ("id" int NOT NULL, CONSTRAINT "tag_pkey" PRIMARY KEY ("id")); CREATE UNIQUE INDEX "tag_id" ON "tag"("id"); UPDATE "tag" SET "id" = 1; ALTER TABLE "tag" ALTER COLUMN "id" TYPE bigint, ADD CONSTRAINT "f" FOREIGN KEY ("id") REFERENCES "user"("id"); DROP INDEX "tag_id"; DROP TABLE "tag"',
    'ALTER TABLE "user" ADD COLUMN "colour" TEXT, ADD COLUMN IF NOT EXISTS "size" NUMERIC(10, 2)',
    `ALTER TABLE "user" ADD COLUMN     "a" TEXT[] DEFAULT ARRAY[]::TEXT[], ADD COLUMN "b" BOOLEAN NOT NULL DEFAULT false`,
    `ALTER TABLE public."user" ADD COLUMN "a" JSONB NOT NULL DEFAULT '{}'::jsonb, ADD COLUMN "b" INT DEFAULT -1 NOT NULL`,
    'ALTER TABLE "user" ADD COLUMN "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP',
    'ALTER TABLE "user" ALTER COLUMN "a" DROP NOT NULL, ALTER COLUMN "a" SET DEFAULT gen_random_uuid()',
    'ALTER TABLE "user" DROP CONSTRAINT "c", ADD CONSTRAINT "c" CHECK ("a" IN (1, 2)) NOT VALID',
    'ALTER TABLE "user" ADD CONSTRAINT "f" FOREIGN KEY ("a") REFERENCES "user"("id") ON DELETE CASCADE NOT VALID',
    'ALTER TABLE "user" ADD CONSTRAINT "u" UNIQUE USING INDEX "user_u"',
    'ALTER TABLE "user" SET (fillfactor = 80)',
    `CREATE FUNCTION "f"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "user" SET a = 1; RETURN NEW; END $$; CREATE OR REPLACE TRIGGER "t" BEFORE INSERT ON "user" FOR EACH ROW EXECUTE FUNCTION "f"(); DROP TRIGGER "t" ON "user"; DROP FUNCTION "f"()`,
    `INSERT INTO "setting" ("key") VALUES ('select')`,
    `COMMENT ON TABLE "user" IS 'UPDATE "user"'`,
    '-- UPDATE "user" SET a = 1;\n/* DROP TABLE "user"; */ SET LOCAL search_path = public',
    '-- safe: one row for the whole installation\nUPDATE "installation_secret" SET "id" = 1',
  ])('passes: %s', (sql) => {
    expect(inMigration(sql)).toEqual([]);
  });

  it.each([
    ['CREATE INDEX "i" ON "user"("a")', 'CREATE INDEX CONCURRENTLY to step-1'],
    ['CREATE INDEX CONCURRENTLY "i" ON "user"("a")', 'can not be in a transaction'],
    ['ALTER TABLE "user" ADD COLUMN "a" INT NOT NULL', 'NOT NULL needs a DEFAULT'],
    ['ALTER TABLE "user" ADD COLUMN "a" UUID DEFAULT gen_random_uuid()', 'computed for each row'],
    [
      'ALTER TABLE "user" ADD COLUMN "a" TIMESTAMPTZ DEFAULT clock_timestamp()',
      'computed for each row',
    ],
    [`ALTER TABLE "user" ADD COLUMN "a" TEXT DEFAULT '' || random()`, 'computed for each row'],
    [
      'ALTER TABLE "user" ADD COLUMN "a" INT GENERATED ALWAYS AS ("id" + 1) STORED',
      'computed for every row',
    ],
    ['ALTER TABLE "user" ADD COLUMN "a" BIGSERIAL', 'computed for every row'],
    ['ALTER TABLE "user" ADD COLUMN "a" INT UNIQUE', 'UNIQUE INDEX CONCURRENTLY'],
    ['ALTER TABLE "user" ADD COLUMN "a" INT REFERENCES "user"("id")', 'NOT VALID'],
    ['ALTER TABLE "user" ADD "a" INT NOT NULL', 'not among the forms'],
    ['ALTER TABLE "user" ALTER COLUMN "a" TYPE BIGINT', 'writes the table anew'],
    ['ALTER TABLE "user" ALTER "a" SET DATA TYPE BIGINT', 'writes the table anew'],
    [
      'ALTER TABLE "user" ADD COLUMN "b" INT, ALTER COLUMN "a" SET NOT NULL',
      'SET NOT NULL looks at every row',
    ],
    [
      'ALTER TABLE "user" ADD CONSTRAINT "f" FOREIGN KEY ("a") REFERENCES "user"("id")',
      'NOT VALID',
    ],
    ['ALTER TABLE "user" ADD CONSTRAINT "c" CHECK ("a" > 1)', 'NOT VALID'],
    [
      'ALTER TABLE "user" ADD CONSTRAINT "c" CHECK ("a" > 1) NOT VALID; ALTER TABLE "user" VALIDATE CONSTRAINT "c"',
      'VALIDATE looks at every row',
    ],
    ['ALTER TABLE "user" ADD CONSTRAINT "u" UNIQUE ("a")', 'USING INDEX'],
    ['ALTER TABLE "user" ADD PRIMARY KEY ("a")', 'USING INDEX'],
    ['UPDATE "user" SET "a" = 1', 'fill rows in batches'],
    ['DELETE FROM "user"', 'fill rows in batches'],
    ['WITH x AS (SELECT 1) UPDATE "user" SET "a" = 1', 'not among the forms'],
    ['INSERT INTO "tag" ("id") SELECT "id" FROM "user"', 'fill rows in batches'],
    ['CREATE TABLE "copy" AS SELECT * FROM "user"', 'create it empty'],
    ['ALTER TABLE "user" DROP COLUMN "a"', 'DROP COLUMN is a contract'],
    ['ALTER TABLE "user" ALTER COLUMN "a" DROP DEFAULT', 'DROP DEFAULT is a contract'],
    ['DROP TABLE "user"', 'DROP TABLE is a contract'],
    ['DROP TRIGGER "t" ON "user"', 'CREATE OR REPLACE TRIGGER'],
    ['DROP TABLE "a", "user"', 'one DROP each'],
    ['DROP FUNCTION "f"()', 'DROP is a contract'],
    ['DROP INDEX "user_a"', 'DROP INDEX CONCURRENTLY'],
    ['ALTER TABLE "user" RENAME COLUMN "a" TO "b"', 'RENAME breaks'],
    ['ALTER TABLE "user" RENAME TO "person"', 'RENAME breaks'],
    ['LOCK TABLE "user"', 'no safe form'],
    ['TRUNCATE "user"', 'no safe form'],
    ['REINDEX TABLE "user"', 'no safe form'],
    [`DO $$ BEGIN UPDATE "user" SET a = 1; END $$`, 'DO runs can not be checked'],
    ['COMMIT', 'one transaction already'],
    ['SELECT "feed_count_rebuild"()', 'not among the forms'],
    ['-- safe: \nUPDATE "user" SET "a" = 1', 'fill rows in batches'],
  ])('refuses: %s', (sql, message) => {
    const [fault = '', ...more] = inMigration(sql);
    expect(fault).toContain('2_new/migration.sql: ');
    expect(fault).toContain(message);
    expect(more).toEqual([]);
  });

  it('takes away in a contract, which names the release that no longer needs it', () => {
    const drop = 'ALTER TABLE "user" DROP COLUMN "a"; DROP TABLE "old"; DROP TRIGGER "t" ON "user"';
    expect(inMigration(CONTRACT + drop)).toEqual([]);
    expect(inMigration(CONTRACT.replace('0.2.0', '0.3.0') + drop)).toEqual([
      '2_new: a contract needs the last release: -- contract, needs 1_base (0.2.0)',
    ]);
  });

  it('sets NOT NULL where an earlier step has validated it', () => {
    const add = 'ALTER TABLE "user" ADD CONSTRAINT "a_set" CHECK ("a" IS NOT NULL) NOT VALID';
    const validate = '-- before serving\nALTER TABLE "user" VALIDATE CONSTRAINT "a_set";';
    const set = { 'migration.sql': 'ALTER TABLE "user" ALTER COLUMN "a" SET NOT NULL' };
    const files = { 'migration.sql': add, 'step-1-validate.sql': validate };
    const checked = { name: '2_checked', files };
    expect(unsafeForms([base, checked, { name: '3_set', files: set }], released)).toEqual([]);
    const hasty = { name: '2_checked', files: { 'migration.sql': add } };
    expect(unsafeForms([base, hasty, { name: '3_set', files: set }], released)).toHaveLength(1);
  });
});

describe('in a step', () => {
  it.each([
    'CREATE UNIQUE INDEX CONCURRENTLY "i" ON "user"("a");',
    'ALTER TABLE "user" VALIDATE CONSTRAINT "c";',
    'ANALYZE "user";',
    FILL,
  ])('passes: %s', (sql) => {
    expect(inStep(sql)).toEqual([]);
    expect(inStep(sql, '-- before serving\n')).toEqual([]);
  });

  it.each([
    ['CREATE INDEX "i" ON "user"("a")', 'not among the forms'],
    ['CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "user"("a")', 'IF NOT EXISTS'],
    ['DROP INDEX CONCURRENTLY IF EXISTS "user_a"', 'DROP INDEX is a contract'],
    ['DROP INDEX CONCURRENTLY "user_a"', 'IF EXISTS'],
    ['UPDATE "user" SET "a" = 1', 'not among the forms'],
    ['UPDATE "user" SET "a" = 1 WHERE "id" > $1', 'a back-fill is'],
    [FILL.replace('batch."id" DESC', '1 DESC'), 'a back-fill is'],
    [FILL.replace('1000', '100000'), 'at most 10000 rows'],
    ['ANALYZE "user"; ANALYZE "user"', 'one statement'],
  ])('refuses: %s', (sql, message) => {
    expect(inStep(sql)[0]).toContain(message);
  });

  it('drops an index in a contract, and one that is new', () => {
    const drop = { 'step-2-drop.sql': '-- while serving\nDROP INDEX CONCURRENTLY IF EXISTS "i";' };
    expect(check({ 'migration.sql': CONTRACT, ...drop })).toEqual([]);
    const make = {
      'step-1-make.sql': '-- while serving\nCREATE INDEX CONCURRENTLY "i" ON "user"("a")',
    };
    expect(check({ ...make, ...drop })).toEqual([]);
  });

  it('says whether gateways wait, and has a name that is found', () => {
    expect(inStep('ANALYZE "user"', '')[0]).toContain('-- while serving');
    expect(check({ 'after.sql': '-- while serving\nANALYZE "user"' })[0]).toContain(
      'is called step-1',
    );
  });
});

it('a migration comes after those of the release', () => {
  const early = { name: '0_late', files: { 'migration.sql': 'DROP TABLE "user"' } };
  expect(unsafeForms([early, base], released)[0]).toContain('name a new one so that it comes last');
});

it('a release exempts what it has', () => {
  const bold = { name: '2_bold', files: { 'migration.sql': 'DROP TABLE "user"' } };
  expect(unsafeForms([base, bold], released)).toHaveLength(1);
  expect(releaseOf('0.2.0', [base])).toEqual(released);
  expect(unsafeForms([base, bold], releaseOf('0.3.0', [base, bold]))).toEqual([]);
});

it('those of the repository pass', () => {
  const text = readFileSync('prisma/migrations/release.json', 'utf8');
  expect(unsafeForms(readMigrationFiles(), JSON.parse(text) as Released)).toEqual([]);
});

it('what Prisma writes is split: indexes and foreign keys of tables that are there become steps', () => {
  const sql = `-- CreateTable\nCREATE TABLE "tag" ("id" INT);\n\n-- CreateIndex\nCREATE INDEX "tag_id" ON "tag"("id");\n\n-- CreateIndex\nCREATE UNIQUE INDEX "user_a" ON "user"("a");\n
-- AddForeignKey\nALTER TABLE "user" ADD CONSTRAINT "fk" FOREIGN KEY ("a") REFERENCES "tag"("id");\n`;
  const files = splitSteps(sql);
  expect(files).toEqual({
    'migration.sql': `-- CreateTable\nCREATE TABLE "tag" ("id" INT);\n\n-- CreateIndex\nCREATE INDEX "tag_id" ON "tag"("id");\n
-- AddForeignKey\nALTER TABLE "user" ADD CONSTRAINT "fk" FOREIGN KEY ("a") REFERENCES "tag"("id") NOT VALID;\n`,
    'step-1-user_a.sql':
      '-- while serving\nCREATE UNIQUE INDEX CONCURRENTLY "user_a" ON "user"("a");\n',
    'step-2-fk.sql': '-- while serving\nALTER TABLE "user" VALIDATE CONSTRAINT "fk";\n',
  });
  expect(check(files)).toEqual([]);
});

it('quotes, bodies and comments are read as PostgreSQL does', () => {
  const sql = `SELECT 'it''s; --', E'\\'; ', $tag$ ; $$ $tag$, "a;""b" -- ;\n; SELECT 2`;
  expect(readSql(sql).map(({ text }) => text)).toEqual([
    `select '' , '' , $$ , quoted_name`,
    'select 2',
  ]);
  expect(() => readSql(`SELECT 'open`)).toThrow('a quote does not end');
});
