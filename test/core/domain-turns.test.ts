import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DomainTurns } from '../../src/core/turns/domain-turns.ts';
import { RequestSignal } from '../../src/core/signal.ts';

const SHARE = 4;
const never = new RequestSignal();

it('lets everybody run at once while the database is not busy', () => {
  const turns = new DomainTurns(() => false);
  for (let n = 0; n < 100; n++) expect(turns.begin(1, never)).toBeUndefined();
  expect(turns.waiting).toBe(0);
});

it('lets a few requests of each domain run while the database is busy, and the others in order', async () => {
  const turns = new DomainTurns(() => true);
  const begun: string[] = [];
  const ask = (domain: number, name: string): void =>
    void (turns.begin(domain, never) ?? Promise.resolve()).then(() => begun.push(name));
  for (let n = 0; n < 6; n++) ask(1, `loud ${n}`);
  ask(2, 'quiet');
  await setImmediate();
  expect(begun).toEqual(['loud 0', 'loud 1', 'loud 2', 'loud 3', 'quiet']);
  expect(turns.waiting).toBe(2);
  turns.end(2);
  await setImmediate();
  expect(begun).toHaveLength(5);
  turns.end(1);
  turns.end(1);
  await setImmediate();
  expect(begun.slice(5)).toEqual(['loud 4', 'loud 5']);
});

it('gives domains turns when the database has room again', async () => {
  let busy = true;
  const turns = new DomainTurns(() => busy);
  const begun: number[] = [];
  for (const domain of [1, 1, 1, 2, 3])
    for (let n = 0; n < SHARE; n++) void turns.begin(domain, never)?.then(() => begun.push(domain));
  void turns.begin(2, never)?.then(() => begun.push(2));
  void turns.begin(3, never)?.then(() => begun.push(3));
  busy = false;
  for (let n = 0; n < 3; n++) turns.end(1);
  await setImmediate();
  expect(begun.slice(0, 4)).toEqual([1, 2, 1, 3]);
});

it('goes on when the database has room again, though no request has ended', async () => {
  let busy = true;
  const turns = new DomainTurns(() => busy);
  for (let n = 0; n < SHARE; n++) void turns.begin(1, never);
  const waits = turns.begin(1, never);
  expect(waits).toBeDefined();
  busy = false;
  await waits;
  expect(turns.waiting).toBe(0);
});

it('forgets a request whose client has gone', async () => {
  const turns = new DomainTurns(() => true);
  for (let n = 0; n < SHARE; n++) void turns.begin(1, never);
  const gone = new RequestSignal();
  const waits = turns.begin(1, gone);
  const next = turns.begin(1, never);
  gone.abort(new Error('gone'));
  await expect(waits).rejects.toThrow('gone');
  await expect(turns.begin(1, gone)).rejects.toThrow('gone');
  turns.end(1);
  await expect(next).resolves.toBeUndefined();
  expect(turns.waiting).toBe(0);
});

/** Who has got its turn takes some microtasks to know it. */
const resumed = async (): Promise<void> => {
  for (let some = 0; some < 10; some++) await Promise.resolve();
};

it('begins every request once, in the order of its domain, however busy the database is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ domain: fc.nat(2), busy: fc.boolean(), ends: fc.boolean() }), {
        maxLength: 60,
      }),
      async (steps) => {
        let busy = false;
        const turns = new DomainTurns(() => busy);
        const begun = new Map<number, number[]>();
        const running: number[] = [];
        const asked = new Map<number, number>();
        for (const { domain, busy: now, ends } of steps) {
          busy = now;
          const number = asked.get(domain) ?? 0;
          asked.set(domain, number + 1);
          const wait = turns.begin(domain, never);
          const note = (): void => {
            begun.set(domain, [...(begun.get(domain) ?? []), number]);
            running.push(domain);
          };
          if (wait) void wait.then(note);
          else note();
          const ending = ends ? running.shift() : undefined;
          if (ending !== undefined) turns.end(ending);
          await resumed();
        }
        for (;;) {
          await resumed();
          const ending = running.shift();
          if (ending === undefined) break;
          turns.end(ending);
        }
        expect(turns.waiting).toBe(0);
        for (const [domain, count] of asked)
          expect(begun.get(domain)).toEqual(Array.from({ length: count }, (_, n) => n));
      },
    ),
  );
});
