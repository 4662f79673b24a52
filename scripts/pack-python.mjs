// Makes the wheel of the Python client (clients/python): generates what is REST from the sources, with the version of the project.
// usage: node scripts/pack-python.mjs [folder of the wheel; this one by default]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const destination = resolve(process.argv[2] ?? '.');
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'trivium-python-'));
const staged = join(folder, 'client');
const tools = join(folder, 'tools');

/** Runs a program, whose output is only seen if it fails; returns what it prints. */
const run = (program, ...args) =>
  execFileSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

try {
  const document = join(folder, 'openapi.json');
  writeFileSync(document, run(process.execPath, '--import', 'tsx', 'scripts/emit-openapi.ts'));
  cpSync(join(root, 'clients/python'), staged, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));

  run('python3', '-m', 'venv', tools);
  const pip = [join(tools, 'bin/python'), '-m', 'pip', '--disable-pip-version-check', '--quiet'];
  run(...pip, 'install', '-r', join(staged, 'generator.txt'));
  // It calls its formatter by name.
  process.env.PATH = `${join(tools, 'bin')}:${process.env.PATH}`;
  const said = run(
    join(tools, 'bin/openapi-python-client'),
    ...['generate', '--path', document, '--config', join(staged, 'generator.yml')],
    ...['--meta', 'none', '--output-path', join(staged, 'trivium/rest')],
  );
  // It leaves out what it does not understand.
  if (/WARNING|ERROR/.test(said)) throw new Error(said);

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const project = join(staged, 'pyproject.toml');
  const text = readFileSync(project, 'utf8').replace(/^version = .*$/m, `version = "${version}"`);
  writeFileSync(project, text);
  run(...pip, 'wheel', '--no-deps', '--wheel-dir', destination, staged);
  console.log(`trivium_client-${version}-py3-none-any.whl`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
