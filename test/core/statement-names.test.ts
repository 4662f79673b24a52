import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/core/database/db.ts';
import { StatementNames } from '../../src/core/wire/statement-names.ts';
import { freshDatabase } from '../support/app.ts';

let db: Database;
beforeAll(async () => {
  const database = await freshDatabase();
  db = await openDatabase({
    database: database.kind === 'server' ? { ...database, poolSize: 1 } : database,
  });
});
afterAll(() => db.close());

/** Runs a statement that answers with its number. */
async function ask(n: number): Promise<void> {
  expect(await db.rows(`SELECT $1::int + ${n}`, [1])).toEqual([[String(n + 1)]]);
}
const prepared = async (): Promise<string[]> =>
  (await db.rows('SELECT statement FROM pg_prepared_statements', [])).map(([text]) => String(text));

it('a statement that comes late is prepared, rare ones take no name from it, and names are bounded', async () => {
  for (let n = 0; n < 600; n++) await ask(n);
  for (let time = 0; time < 3; time++) await ask(1_000);
  expect(await prepared()).toContain('SELECT $1::int + 1000');
  for (let n = 0; n < 600; n++) {
    await ask(2_000 + n);
    if (n % 100 === 0) await ask(1_000);
  }
  // Each of them twice: they do take names, but of those that nobody uses.
  for (let n = 0; n < 600; n++) {
    await ask(3_000 + n);
    await ask(3_000 + n);
    if (n % 100 === 0) await ask(1_000);
  }
  const texts = await prepared();
  expect(texts).toContain('SELECT $1::int + 1000');
  expect(texts).toContain('SELECT $1::int + 3599');
  expect(texts.length).toBeLessThanOrEqual(500);
});

it('statements whose names change hands are answered as if none had', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 450 }), { minLength: 50, maxLength: 400 }),
      async (numbers) => {
        // Those of one turn share a round trip.
        const answers = await Promise.all(
          numbers.map((n) => db.read(`SELECT $1::int + ${n}, 'read'`, [1])),
        );
        expect(answers.map(([row]) => row?.cells[0])).toEqual(numbers.map((n) => String(n + 1)));
      },
    ),
    { numRuns: 10 },
  );
});

it('no two texts have a name at once, and a text keeps its name while it is used', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 200 }), (texts) => {
      const names = new StatementNames(5);
      const now = new Map<string, string>();
      for (const text of texts.map(String)) {
        const given = names.nameOf(text);
        if (!given) continue;
        expect(given.text).toBe(text);
        now.set(given.name, text);
        // Asked again, it is the same.
        expect(names.nameOf(text)).toBe(given);
      }
      expect(now.size).toBeLessThanOrEqual(5);
    }),
  );
});
