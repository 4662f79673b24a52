import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeLent } from '../../src/server/control/lend-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-lent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a gateway that starts removes what commands left, but not an export that may be gone on with', () => {
  const partial = (hoursAgo: number): string => {
    const name = `command-${randomUUID()}.partial`;
    const path = join(folder, name, 'data');
    mkdirSync(join(folder, name));
    writeFileSync(path, 'secret');
    const at = new Date(Date.now() - hoursAgo * 3_600_000);
    utimesSync(path, at, at);
    return name;
  };
  const [young] = [partial(23), partial(25)];
  writeFileSync(join(folder, `command-${randomUUID()}`), '');
  writeFileSync(join(folder, 'kept.partial'), '');
  removeLent(folder);
  expect(readdirSync(folder).sort()).toEqual([young, 'kept.partial'].sort());
});
