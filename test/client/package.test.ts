import { execFile } from 'node:child_process';
import { cp, mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const tsc = resolve('node_modules/typescript/bin/tsc');

const consumer = `import { createClient, GatewayError, type TypedDocument } from 'trivium/client';
const Me: TypedDocument<{ viewer: { login: string } }, Record<string, never>> = { toString: () => '{ viewer { login } }' };
const client = createClient({ url: 'http://127.0.0.1:1/graphql', retry: { times: 0 }, fetch: async () => Response.json({ data: { viewer: { login: 'ana' } } }) });
const login: string = (await client.request(Me)).viewer.login;
// @ts-expect-error -- the types really arrive: a number it is not
const wrong: number = login;
console.log(login, typeof GatewayError, typeof wrong);
`;

it('is built into files that a project of somebody else imports, with types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trivium-package-'));
  try {
    const source = join(folder, 'package');
    await mkdir(source);
    await cp('package.json', join(source, 'package.json'));
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
      'ana function string\n',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 300_000);
