import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const tsc = resolve('node_modules/typescript/bin/tsc');

const consumer = `import { createClient, GatewayError, type TypedDocument } from 'trivium/client';
import { importKey, openArchive, type OpenedArchive } from 'trivium/e2ee';
const Me: TypedDocument<{ viewer: { login: string } }, Record<string, never>> = { toString: () => '{ viewer { login } }' };
const client = createClient({ url: 'http://127.0.0.1:1/graphql', retry: { times: 0 }, fetch: async () => Response.json({ data: { viewer: { login: 'ana' } } }) });
const login: string = (await client.request(Me)).viewer.login;
// @ts-expect-error -- the types really arrive: a number it is not
const wrong: number = login;
const archive: OpenedArchive | undefined = await openArchive(new Blob(['no archive']), { keys: [await importKey('00'.repeat(32))] }).catch((error) => { console.log(error.name); return undefined; });
console.log(login, typeof GatewayError, typeof wrong, archive);
`;

it('is built into files that a project of somebody else imports, with types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-package-'));
  try {
    const source = join(folder, 'package');
    await mkdir(source);
    const copied = ['package.json', 'README.md', 'LICENSE', 'bin', 'prisma', 'src', 'test/client'];
    for (const name of [...copied, 'schema.graphql'])
      await cp(name, join(source, name), { recursive: true });
    await run(process.execPath, ['scripts/bundle.mjs', join(source, 'dist')]);
    await run(process.execPath, [
      tsc,
      '-p',
      'tsconfig.build.json',
      '--outDir',
      join(source, 'dist'),
    ]);
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
    const installed = join(folder, 'node_modules', 'trivium');
    await mkdir(installed, { recursive: true });
    await run('tar', [
      '-xzf',
      join(folder, 'trivium-0.1.0.tgz'),
      '--strip-components=1',
      '-C',
      installed,
    ]);
    const { bin, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    for (const name of [bin.trivium, 'dist/main.js', 'schema.graphql', 'README.md', 'LICENSE'])
      expect([name, existsSync(join(installed, name))]).toEqual([name, true]);
    for (const { types, default: code } of Object.values<Record<string, string>>(exports))
      for (const name of [types!, code!])
        expect([name, existsSync(join(installed, name))]).toEqual([name, true]);
    expect(readdirSync(join(installed, 'prisma/migrations')).sort()).toEqual(
      readdirSync('prisma/migrations').sort(),
    );
    // Where sources are, `trivium` compiles them, with tools that are not installed with the package.
    expect(['src', 'test'].filter((name) => existsSync(join(installed, name)))).toEqual([]);
    await symlink(resolve('node_modules'), join(installed, 'node_modules'));
    const help = await run(process.execPath, [join(installed, bin.trivium), '--help']);
    expect(help.stdout).toContain('Usage: trivium');
    await mkdir(join(folder, 'node_modules', '@types'));
    await symlink(
      resolve('node_modules/@types/node'),
      join(folder, 'node_modules', '@types', 'node'),
    );
    await symlink(
      resolve('node_modules/undici-types'),
      join(folder, 'node_modules', 'undici-types'),
    );
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'main.ts'), consumer);
    await run(
      process.execPath,
      [tsc, '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'main.ts'],
      { cwd: folder },
    ).catch((error: { stdout: string }) => expect(error.stdout).toBe(''));
    expect((await run(process.execPath, ['main.js'], { cwd: folder })).stdout).toBe(
      'ArchiveError\nana function string undefined\n',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 300_000);
