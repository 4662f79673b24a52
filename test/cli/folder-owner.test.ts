import { chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { triviumSync, type Ended } from '../support/trivium.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-owner-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OTHER = 65_534;
const paths = (): string[] => [
  data,
  ...readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name)),
];
const ownedBy = (uid: number): string[] => paths().filter((path) => statSync(path).uid === uid);
const give = (uid: number): void => paths().forEach((path) => chownSync(path, uid, uid));
const trivium = (...args: string[]): Ended =>
  triviumSync(args, { cwd: folder, env: { DATA_DIR: data, LOG_LEVEL: 'silent', PORT: '0' } });

test.skipIf(process.getuid?.() !== 0)(
  'root does not write to the embedded database of another user, who could not open it any more',
  { timeout: 240_000 },
  () => {
    expect(trivium('migrate')).toMatchObject({ status: 0 });
    give(OTHER);
    for (const args of [['domain', 'list'], ['serve']])
      expect(trivium(...args)).toEqual({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^\/.*\/data is the database of the user with the number 65534/,
        ),
      });
    expect(trivium('backup', join(folder, 'backup'))).toMatchObject({ status: 0 });
    expect(ownedBy(0)).toEqual([]);
    give(0);
    expect(trivium('domain', 'list')).toMatchObject({ status: 0 });
  },
);
