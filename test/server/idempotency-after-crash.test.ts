import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { freshDatabase } from '../support/app.ts';
import { gatewayProgram, trivium } from '../support/trivium.ts';

// A gateway in a process of its own, which is killed while it works.
const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
let databaseUrl = '';
let gateway: { child: ChildProcess; url: string; token: string } | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-crash-'));
  if (inject('template').kind === 'server') {
    const database = await freshDatabase();
    databaseUrl = database.kind === 'server' ? database.url : '';
  }
  const people = [
    { record: 'domain', name: 'one' },
    { record: 'user', domain: 'one', login: 'leader', password: 'demo' },
  ];
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data') };
  const input = people.map((one) => JSON.stringify(one)).join('\n');
  const imported = await trivium(['import', '-'], { cwd: folder, env, input });
  expect(imported).toMatchObject({ status: 0, stderr: '' });
});
afterAll(async () => {
  await kill();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<{ child: ChildProcess; url: string; token: string }> {
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [gatewayProgram], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`left: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      const ready = /ready at (\S+)\n/.exec(output);
      if (ready?.[1]) resolve(ready[1]);
    });
  });
  const session = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"login":"leader","password":"demo"}',
  });
  return { child, url, token: ((await session.json()) as { token: string }).token };
}

async function kill(): Promise<void> {
  const { child } = gateway ?? {};
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function gql(query: string): Promise<any> {
  const response = await fetch(`${gateway!.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway!.token}` },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { data: any }).data;
}

const create = (key: string): Promise<any> =>
  gql(
    `mutation { createWorkspace(input: { name: "${key}", idempotencyKey: "${key}" }) { ... on CreateWorkspacePayload { replayed workspace { uuid } } ... on IdempotencyError { code } } }`,
  );
const namesOfAll = async (): Promise<string[]> =>
  (
    await gql('{ viewer { workspaces(first: 100) { nodes { name } } } }')
  ).viewer.workspaces.nodes.map(({ name }: { name: string }) => name);

it(
  'D-78 a creation whose gateway was killed is there once after the retry, whenever the kill struck',
  { timeout: 240_000 },
  async () => {
    gateway = await start();
    const answered = await create('answered');
    expect(answered.createWorkspace).toMatchObject({ replayed: false });
    // The process dies with requests in every state: not yet read, at work, committed but not answered.
    const keys = Array.from({ length: 40 }, (_, n) => `cut-${n}`);
    const cut = Promise.allSettled(keys.map((key) => create(key)));
    await new Promise((resolve) => setTimeout(resolve, 60));
    await kill();
    const outcomes = await cut;
    gateway = await start();
    expect((await create('answered')).createWorkspace).toEqual({
      replayed: true,
      workspace: answered.createWorkspace.workspace,
    });
    const before = await namesOfAll();
    for (const [index, key] of keys.entries()) {
      const retry = (await create(key)).createWorkspace;
      expect(retry).toMatchObject({
        replayed: before.includes(key),
        workspace: { uuid: expect.any(String) },
      });
      const outcome = outcomes[index];
      if (outcome?.status === 'fulfilled')
        expect(retry.workspace).toEqual(outcome.value.createWorkspace.workspace);
    }
    const after = await namesOfAll();
    for (const key of [...keys, 'answered'])
      expect(after.filter((name) => name === key)).toEqual([key]);
  },
);
