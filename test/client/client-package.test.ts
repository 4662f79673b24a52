import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSigner, signFiles } from '../support/archives.ts';
import { findBrowser, runInBrowser } from '../support/browser.ts';
import { installClient, type InstalledClient } from '../support/client-package.ts';
import { makeZip } from '../support/zip.ts';

const run = promisify(execFile);
const tsc = resolve('node_modules/typescript/bin/tsc');

const consumer = `import { createClient, GatewayError, type TypedDocument } from '@trivium/client';
import { checksum, importKey, type WorkspaceKey } from '@trivium/client/e2ee';
const Me: TypedDocument<{ viewer: { login: string } }, Record<string, never>> = { toString: () => '{ viewer { login } }' };
const client = createClient({ url: 'http://127.0.0.1:1/graphql', fetch: async () => Response.json({ data: { viewer: { login: 'ana' } } }) });
const login: string = (await client.request(Me)).viewer.login;
const key: WorkspaceKey = await importKey('00'.repeat(32));
const sum: string = await checksum(key, '3f2504e0-4f89-41d3-9a0c-0305e82c3301');
// @ts-expect-error -- the types really arrive: a number it is not
const wrong: number = login;
// @ts-expect-error -- nor is a key just anything
const none: WorkspaceKey = 7;
console.log(login, typeof GatewayError, sum.length, typeof wrong, none);
`;

/** What the README of the package takes from documents.js. */
const documents = `import type { TypedDocument } from '@trivium/client';
interface Feeds { changeCursor: string; nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
interface Changes { feedChanged: { __typename: 'FeedUpserted'; cursor: string } | { __typename: 'ResyncRequired' } }
export declare const MyFeeds: TypedDocument<{ viewer: { feeds: Feeds } }, { first?: number; after?: string | null }>;
export declare const MyFeedChanges: TypedDocument<Changes, { after?: string | null }>;
`;

let client: InstalledClient;
beforeAll(async () => {
  client = await installClient();
  const readme = readFileSync(
    join(client.folder, 'node_modules/@trivium/client/README.md'),
    'utf8',
  );
  const examples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = '']) => text);
  expect(examples).toHaveLength(3);
  const files = {
    'consumer.ts': consumer,
    'documents.d.ts': documents,
    ...Object.fromEntries(examples.map((text, index) => [`readme-${index}.ts`, text])),
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(client.folder, name), text);
}, 120_000);
afterAll(() => client.remove());

it('is small, has no dependencies, and the version of the project', async () => {
  expect((await stat(client.tarball)).size).toBeLessThanOrEqual(45_000);
  const packed = readFileSync(
    join(client.folder, 'node_modules/@trivium/client/package.json'),
    'utf8',
  );
  const { version, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(JSON.parse(packed)).toMatchObject({ name: '@trivium/client', version, license, engines });
  expect(packed).not.toMatch(/dependencies/i);
  expect(
    readdirSync(join(client.folder, 'node_modules')).filter((name) => name[0] !== '.'),
  ).toEqual(['@trivium']);
});

it('contains what is compiled, a README and the licence, and nothing that only Node has', async () => {
  const installed = join(client.folder, 'node_modules/@trivium/client');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(installed.length + 1));
  const code = files.filter((file) => /^(client|sdk)\/[\w/-]+(\.d\.ts|\.js)$/.test(file));
  const sources = ['client', 'sdk'].flatMap((folder) =>
    readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ),
  );
  expect(code).toHaveLength(2 * sources.length);
  expect(files.filter((file) => !code.includes(file)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  for (const file of code)
    expect(
      [...readFileSync(join(installed, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)]
        .map(([, name = '']) => name)
        .filter((name) => !/^\.\.?\/[\w/-]+\.js$/.test(name)),
    ).toEqual([]);
});

const browser = ['--lib', 'es2022,dom,dom.iterable', '--types', 'null'];
const node = ['--lib', 'es2023', '--types', 'node', '--typeRoots', resolve('node_modules/@types')];
const shown = ['readme-0.ts', 'readme-1.ts', 'readme-2.ts'];

it.each([
  { where: 'browsers', module: 'node16', resolution: 'node16', flags: browser, files: shown },
  { where: 'browsers', module: 'nodenext', resolution: 'nodenext', flags: browser, files: shown },
  { where: 'browsers', module: 'esnext', resolution: 'bundler', flags: browser, files: shown },
  { where: 'Node', module: 'nodenext', resolution: 'nodenext', flags: node, files: [] },
])(
  'has types for $where with $resolution',
  async ({ module, resolution, flags, files }) => {
    const kind = ['--target', 'es2022', '--module', module, '--moduleResolution', resolution];
    const { stdout } = await run(
      process.execPath,
      [tsc, '--strict', '--noEmit', ...kind, ...flags, 'consumer.ts', ...files],
      { cwd: client.folder },
    ).catch(({ stdout }: { stdout: string }) => ({ stdout }));
    expect(stdout).toBe('');
  },
  120_000,
);

/** What a program of five lines says of an archive with one altered file. */
const said = '["a.txt"] ALTERED b.txt';

async function archiveWithFault(): Promise<{ publicKey: string; zip: Buffer }> {
  const signer = makeSigner();
  const right = signFiles(
    ['a.txt', 'b.txt'].map((name) => ({ name, bytes: Buffer.from(name) })),
    signer,
  );
  const files = right.map((file) =>
    file.name === 'b.txt' ? { ...file, bytes: Buffer.from('else') } : file,
  );
  await writeFile(join(client.folder, 'export.zip'), makeZip(files));
  return { publicKey: signer.publicKey, zip: makeZip(files) };
}

const five = (from: string, blob: string, publicKey: string, say: string): string => `
const { openArchive } = await import('${from}');
const archive = await openArchive(${blob}, { publicKey: '${publicKey}' });
const { faults } = await archive.verify();
const right = archive.files.map(({ path }) => path).filter((path) => faults.every((fault) => fault.path !== path));
${say}(JSON.stringify(right) + ' ' + faults.map(({ kind, path }) => kind + ' ' + path).join());`;

it('opens an export in Node, with five lines', async () => {
  const { publicKey } = await archiveWithFault();
  const blob = `await (await import('node:fs')).openAsBlob('export.zip')`;
  await writeFile(
    join(client.folder, 'five.js'),
    five('@trivium/client/e2ee', blob, publicKey, 'console.log'),
  );
  const { stdout } = await run(process.execPath, ['five.js'], { cwd: client.folder });
  expect(stdout).toBe(`${said}\n`);
}, 60_000);

const browserFile = findBrowser();
it.skipIf(browserFile === undefined && process.env.REQUIRE_BROWSER === undefined)(
  'opens an export in a browser, with the same lines',
  async () => {
    const { publicKey, zip } = await archiveWithFault();
    const folder = join(client.folder, 'node_modules/@trivium/client/sdk');
    const files = Object.fromEntries(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .map((name) => [`package/sdk/${name}`, readFileSync(join(folder, name))]),
    );
    const blob = `await (await fetch('/export.zip')).blob()`;
    const script = five('/package/sdk/e2ee.js', blob, publicKey, 'await report');
    expect(
      await runInBrowser(browserFile ?? 'chromium', script, { ...files, 'export.zip': zip }),
    ).toBe(said);
  },
  60_000,
);

it('runs in Node', async () => {
  const { outputText } = ts.transpileModule(consumer, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  await writeFile(join(client.folder, 'consumer.js'), outputText);
  const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: client.folder });
  expect(stdout).toBe('ana function 44 string 7\n');
}, 120_000);
