import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/core/context/config.ts';
import { startGateway } from '../../src/server/start.ts';
import { triviumSync, type Ended } from '../support/trivium.ts';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'trivium-usage-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trivium = (...args: string[]): Ended =>
  triviumSync(args, { cwd: folder, env: { DATA_DIR: folder } });

it(
  'F267 legacy-usage prints what a gateway counted until it was stopped, as a table or as JSON',
  { timeout: 240_000 },
  async () => {
    const gateway = await startGateway(
      readConfig({ PORT: '0', DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'silent' }),
    );
    await fetch(`${gateway.url}/task/v1/feeds/list?limit=5&secret=1`);
    await fetch(`${gateway.url}/service/rtm/getCalendarData`, { method: 'POST' });
    await gateway.close();
    const { status, stdout } = trivium('legacy-usage');
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^method +path +parameter +client +hits +last seen +sunset$/);
    expect(lines[1]).toMatch(
      /^POST +\/service\/rtm\/getCalendarData +\(unknown\) +1 +20\S+Z +2028-01-01$/,
    );
    expect(lines).toHaveLength(5);
    const rows = trivium('legacy-usage', '--json', '--days', '1')
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(rows).toContainEqual({
      path: '/task/v1/feeds/{retrieve-type}',
      method: 'GET',
      client: '(unknown)',
      parameter: 'limit',
      hits: 1,
      lastSeen: expect.stringMatching(/Z$/),
      sunset: null,
      replacement: null,
    });
    expect(trivium('legacy-usage', '--days', 'all')).toMatchObject({
      status: 2,
      stderr: 'days must be between 1 and 90\n',
    });
    expect(trivium('legacy-usage', '--domain', 'none')).toMatchObject({
      status: 2,
      stderr: 'no domain "none"\n',
    });
  },
);
