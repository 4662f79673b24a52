import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tellSteps } from '../../src/commands/support/tell-steps.ts';
import { tellMigration } from '../../src/core/migrations/tell-migration.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const step = { migration: 'm', name: 'step-1-index', sql: '', checksum: '', waits: false };

test('migrate tells which step begins, runs and ends, at least every ten seconds', () => {
  const told: string[] = [];
  const { log, stop } = tellSteps((text) => told.push(text));
  const events = tellMigration(log);
  events.onApplied(['m']);
  events.onStep(step, { batches: 0 });
  vi.advanceTimersByTime(21_000);
  events.onStep(step, { batches: 3, ended: true });
  log.info({ other: 1 }, 'of no interest');
  vi.advanceTimersByTime(10_000);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([
    'migrations applied: m\n',
    'm/step-1-index: begun\n',
    'm/step-1-index: under way for 10 s\n',
    'm/step-1-index: under way for 20 s\n',
    'm/step-1-index: done after 21 s, 3 batches\n',
    'the migration: under way for 9 s\n',
  ]);
});
