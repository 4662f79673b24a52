import { once } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionOf, type EmbeddedSession } from '../../src/core/database/pglite-session.ts';
import { PGliteStream } from '../../src/core/database/pglite-stream.ts';

let session: EmbeddedSession;
/** How often the session was asked. On a data folder each time is a message to another thread and back. */
let asked = 0;

beforeAll(async () => {
  const embedded = sessionOf(await PGlite.create());
  session = {
    ...embedded,
    answer: (messages, take) => (asked++, embedded.answer(messages, take)),
  };
});
afterAll(() => session.close());

it('asks the session once for a statement, however many messages it is', async () => {
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => new PGliteStream(session),
  });
  await client.connect();
  for (const name of [undefined, 'named', 'named']) {
    asked = 0;
    const { rows } = await client.query({ name, text: 'SELECT $1::text AS said', values: ['ha'] });
    expect(rows).toEqual([{ said: 'ha' }]);
    expect(asked).toBe(1);
  }
  await client.end();
});

const selected = (text: string, values: string[]): Buffer[] => [
  serialize.parse({ text }),
  serialize.bind({ values }),
  serialize.describe({ type: 'P' }),
  serialize.execute({}),
  serialize.sync(),
];
const conversation = [
  serialize.startup({ user: 'postgres', database: 'postgres' }),
  ...selected('SELECT $1::text AS first', ['a'.repeat(300)]),
  ...selected('SELECT 1 / $1::int', ['0']),
  serialize.query('SELECT no_such_column'),
  ...selected(`SELECT repeat($1, 20000) FROM generate_series(1, 4)`, ['b']),
  serialize.end(),
];

/** All that is answered to the pieces; each is written once the one before was taken, or all at once. */
async function answersTo(pieces: readonly Buffer[], atOnce: boolean): Promise<string> {
  const stream = new PGliteStream(session);
  const answers: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => answers.push(bytes));
  const ended = once(stream, 'end');
  for (const piece of pieces)
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => (error ? reject(error) : resolve()));
      if (atOnce) resolve();
    });
  await ended;
  return Buffer.concat(answers).toString('latin1');
}

it('answers the same in whatever pieces messages come, also after a statement that failed', async () => {
  const whole = Buffer.concat(conversation);
  // The first connection to a session is told its settings, the later ones are not.
  await answersTo(conversation, false);
  const expected = await answersTo(conversation, false);
  expect([...expected.matchAll(/a{300}|b{20000}|division by zero|no_such_column/g)].length).toBe(7);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(whole.length), { maxLength: 12 }),
      fc.boolean(),
      async (cuts, atOnce) => {
        const ends = [...cuts.sort((a, b) => a - b), whole.length];
        const pieces = ends.map((end, n) => whole.subarray(ends[n - 1] ?? 0, end));
        expect(await answersTo(pieces, atOnce)).toBe(expected);
      },
    ),
    { numRuns: 60 },
  );
});
