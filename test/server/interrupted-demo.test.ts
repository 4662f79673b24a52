import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endProcesses, folder, GENEROUS, start, stop } from '../support/gateway-process.ts';
import { cliProgram, trivium } from '../support/trivium.ts';

endProcesses();

const DATA_DIR = join(folder, 'demo');
const ALL = ['Incident photos/Incidents: 4', 'Store images/Flyers: 10', 'Store images/Shelves: 18'];
const LOADING = { timeout: GENEROUS, interval: 20 };

/** The datasets of the demo that a gateway has, and how many images each. */
async function datasetsOf(url: string): Promise<string[]> {
  const post = async (path: string, body: object, token = ''): Promise<any> => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return reply.json();
  };
  const { token } = await post('/session', { login: 'leader', password: 'demo' });
  const query =
    '{ viewer { workspaces(first: 9) { nodes { name datasets(first: 9) { nodes { name images(first: 1) { totalCount } } } } } } }';
  const { data } = await post('/graphql', { query }, token);
  return data.viewer.workspaces.nodes
    .flatMap((workspace: any) =>
      workspace.datasets.nodes.map(
        ({ name, images }: any) => `${workspace.name}/${name}: ${images.totalCount}`,
      ),
    )
    .sort();
}

test(
  'a start that is killed or stopped while it loads the demo is made up for by the next one, however often',
  async () => {
    const first = await start({ DATA_DIR });
    await stop(first, 'SIGKILL');
    // Its images come after the welcome, and take longer than it takes to kill it.
    expect(existsSync(join(DATA_DIR, 'demo.loading'))).toBe(true);
    const second = await start({ DATA_DIR, DEMO: 'true' });
    await expect
      .poll(() => datasetsOf(second.url), LOADING)
      .toContainEqual(expect.stringMatching(/Shelves: [1-9]/));
    // It does not wait for the last image.
    expect(await stop(second, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(join(DATA_DIR, 'demo.loading'))).toBe(true);
    const third = await start({ DATA_DIR, DEMO: 'true' });
    await expect.poll(() => datasetsOf(third.url), LOADING).toEqual(ALL);
    expect(await stop(third, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(join(DATA_DIR, 'demo.loading'))).toBe(false);
  },
  GENEROUS,
);

test(
  'a command that is stopped while it loads the demo is made up for by the next one that is told to',
  async () => {
    const env = { DATA_DIR: join(folder, 'half') };
    const first = spawn(process.execPath, [cliProgram, 'demo'], {
      env: { ...process.env, DATABASE_URL: '', ...env },
      stdio: 'ignore',
    });
    await expect.poll(() => existsSync(join(env.DATA_DIR, 'blobs/objects')), LOADING).toBe(true);
    first.kill();
    await once(first, 'exit');
    expect(await trivium(['demo', '--force'], { cwd: folder, env })).toMatchObject({ status: 0 });
    const gateway = await start(env);
    expect(await datasetsOf(gateway.url)).toEqual(ALL);
    await stop(gateway, 'SIGTERM');
  },
  GENEROUS,
);
