import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { environment, endProcesses, GENEROUS, root, start } from '../support/gateway-process.ts';

endProcesses();

const folder = mkdtempSync(join(tmpdir(), 'trivium-own-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guide = readFileSync(join(root, 'docs/bring-your-own-data.md'), 'utf8');
const [convert = '', load = '', serve, look = ''] = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(
  ([, block = '']) => block,
);
const DATA_DIR = join(folder, 'data');

/** The commands, with another folder for what they write, and the address of our gateway. */
const here = (block: string, url = ''): string =>
  block
    .replaceAll('.data-work', DATA_DIR)
    .replaceAll(/(?<=[> ])work\.ndjson/g, join(folder, 'work.ndjson'))
    .replaceAll('http://127.0.0.1:4000', url);

function run(script: string): string {
  const options = { cwd: root, env: environment({ DATA_DIR }), encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], options);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** The same without blocking the gateway of this process's tests. */
const runBeside = (script: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn('sh', ['-e', '-c', script], { cwd: root, env: environment({ DATA_DIR }) });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.once('close', () => resolve(output));
  });

test(
  'the commands of docs/bring-your-own-data.md work in the checkout, in their order',
  async () => {
    run(here(convert));
    expect(run(here(load))).toMatch(
      /: 337 records: 337 new \(domain: 1 new; unit: 1 new; dept: 1 new; user: 10 new; feed: 324 new\)\n$/,
    );
    expect(run(here(load))).toMatch(/: 337 records: 337 the same /);
    expect(serve).toBe('npm start\n');
    const { url } = await start({ DATA_DIR, DEMO: 'false' });
    const [rest = '', graphql = ''] = (
      await runBeside(here(look, url).replace('\ncurl -s -H "Auth', '\necho\ncurl -s -H "Auth'))
    )
      .trim()
      .split('\n');
    const items = readFileSync(join(root, 'docs/examples/work-items.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { title: string; project: string; closed_at: string });
    const latest = items.toSorted((a, b) => Date.parse(b.closed_at) - Date.parse(a.closed_at));
    expect(JSON.parse(rest).feed_details).toMatchObject(
      latest.slice(0, 3).map(({ title, project }) => ({ feed_title: title, cluster_id: project })),
    );
    const { tasks } = JSON.parse(graphql).data.viewer;
    expect(tasks.totalCount).toBe(items.filter(({ title }) => title.includes('oven')).length);
    expect(tasks.nodes).toHaveLength(3);
  },
  GENEROUS,
);
