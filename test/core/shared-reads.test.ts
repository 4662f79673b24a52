import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ fastLane: true });
});
afterAll(() => app.close());

/** Statements that answer with their number, and such as fail: when they are parsed, when they are bound, when they run. */
const kinds = {
  fine: (n: number) => ({ sql: 'SELECT $1::int', params: [n] }),
  rows: (n: number) => ({
    sql: `SELECT $1::int FROM generate_series(1, ${(n % 3) + 1})`,
    params: [n],
  }),
  own: (n: number) => ({ sql: `SELECT $1::int + ${n} - ${n}`, params: [n] }),
  unparsable: (n: number) => ({ sql: `SELECT ${n} FROM no_such_table`, params: [] }),
  unbindable: () => ({ sql: 'SELECT $1::int', params: ['x'] }),
  failing: (n: number) => ({ sql: 'SELECT 1 / ($1::int - $1::int)', params: [n] }),
};
const expected = { unparsable: '42P01', unbindable: '22P02', failing: '22012' } as const;

it('statements of one turn are each answered as if they had come alone, whatever becomes of the others', async () => {
  const { read } = app.services.db;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])), {
        minLength: 1,
        maxLength: 30,
      }),
      async (turn) => {
        const answers = await Promise.allSettled(
          turn.map((kind, n) => {
            const { sql, params } = kinds[kind](n);
            return read(sql, params);
          }),
        );
        const wanted = turn.map((kind, n) =>
          kind in expected
            ? { status: 'rejected', reason: { code: expected[kind as keyof typeof expected] } }
            : {
                status: 'fulfilled',
                value: Array.from({ length: kind === 'rows' ? (n % 3) + 1 : 1 }, () => ({
                  cells: [String(n)],
                })),
              },
        );
        expect(answers).toMatchObject(wanted);
      },
    ),
    { numRuns: 40 },
  );
  expect((await read('SELECT $1::int', [7])).map(({ cells }) => cells)).toEqual([['7']]);
});

it('answers that come at once leave others their turns', async () => {
  const { read } = app.services.db;
  let [turn, over] = [0, false];
  const count = (): void => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const answered = new Map<number, number>();
  const use = async (n: number): Promise<void> => {
    await read('SELECT $1::int', [n]);
    answered.set(turn, (answered.get(turn) ?? 0) + 1);
    // What an answer is used for takes longer than all of them may in one turn.
    for (const begun = performance.now(); performance.now() - begun < 15;);
  };
  await Promise.all(Array.from({ length: 24 }, (_, n) => use(n)));
  over = true;
  // Those of one round trip.
  expect(Math.max(...answered.values())).toBeLessThanOrEqual(4);
});

it('one that nobody waits for any more takes no other along', async () => {
  const { db } = app.services;
  const leaving = new AbortController();
  const gone = db
    .within(leaving.signal)
    .read('SELECT 1 FROM pg_sleep($1::float8)', ['0.3'])
    .catch((error: unknown) => error);
  const others = [1, 2, 3].map((n) => db.read('SELECT $1::int', [n]));
  // On a busy machine, a timer alone would be over before they are sent.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  setTimeout(() => leaving.abort(new AppError('E900', { status: 503 })), 20);
  await expect(Promise.all(others)).resolves.toMatchObject(
    [1, 2, 3].map((n) => [{ cells: [String(n)] }]),
  );
  // The embedded database can't be interrupted.
  expect(await gone).toMatchObject(
    db.embedded ? [{ cells: ['1'] }] : { code: 'E900', status: 503 },
  );
  leaving.abort(new AppError('E900', { status: 503 }));
  await expect(db.within(leaving.signal).read('SELECT 1', [])).rejects.toMatchObject({
    code: 'E900',
  });
});

it('none waits for a slow one', async () => {
  const { db } = app.services;
  const order: string[] = [];
  const note = (name: string) => (): void => void order.push(name);
  const ask = (): Promise<unknown> =>
    Promise.all([
      db.read('SELECT 2 FROM pg_sleep($1::float8)', ['1.5']).then(note('slow')),
      db.read('SELECT 3', []).then(note('quick')),
      db.read('SELECT 4', []).then(note('quick')),
    ]);
  // The embedded database runs one statement at a time.
  const wanted = db.embedded ? ['slow', 'quick', 'quick'] : ['quick', 'quick', 'slow'];
  await ask();
  expect(order).toEqual(wanted);
  // The second time a server has it go alone from the beginning.
  order.length = 0;
  await ask();
  expect(order).toEqual(wanted);
});
