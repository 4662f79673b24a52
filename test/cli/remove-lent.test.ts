import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ownedName } from '../../src/core/files/owned-name.ts';
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
  const ofThisProcess = `command-${ownedName()}`;
  lend(join(folder, ofThisProcess), 60);
  // Of another container, whose processes can't be asked for.
  const ofAnother = (): string => `command-${'0'.repeat(16)}.1.1.${randomUUID()}`;
  const touched = ofAnother();
  lend(join(folder, touched), 10);
  lend(join(folder, ofAnother()), 20);
  const used = ofAnother();
  lend(join(folder, used), 20);
  writeFileSync(join(folder, 'kept.partial'), '');
  removeLent(folder, new Set([used]));
  expect(readdirSync(folder).sort()).toEqual(
    [young, waits, ofThisProcess, touched, used, 'kept.partial'].sort(),
  );
});
