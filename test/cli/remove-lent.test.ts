import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeLent } from '../../src/server/control/lend-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-lent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a gateway that starts removes what commands left, but not what one still lends, nor an export that may be gone on with', () => {
  const lend = (path: string, minutesAgo: number): void => {
    writeFileSync(path, 'secret');
    const at = new Date(Date.now() - minutesAgo * 60_000);
    utimesSync(path, at, at);
  };
  const partial = (hoursAgo: number): string => {
    const name = `command-${randomUUID()}.partial`;
    mkdirSync(join(folder, name));
    lend(join(folder, name, 'data'), hoursAgo * 60);
    return name;
  };
  const [young] = [partial(23), partial(25)];
  // Of a command that may have come to the gateway before, and waits for this one.
  const waits = `command-${randomUUID()}`;
  lend(join(folder, waits), 0);
  lend(join(folder, `command-${randomUUID()}`), 2);
  writeFileSync(join(folder, 'kept.partial'), '');
  removeLent(folder);
  expect(readdirSync(folder).sort()).toEqual([young, waits, 'kept.partial'].sort());
});
