// Makes the package @trivium/client from src/client and src/sdk, with the version of the project.
// usage: node scripts/pack-client.mjs [folder of the package; this one by default]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const destination = resolve(process.argv[2] ?? '.');
const root = new URL('..', import.meta.url).pathname;
const staged = mkdtempSync(join(tmpdir(), 'trivium-client-'));
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
try {
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'packages/client', '--outDir', staged],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  // The compiler leaves the names of the sources in declarations; older ones look only for what is published.
  for (const name of readdirSync(staged, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts')) {
      const file = join(staged, name);
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replaceAll(/(from '\.\.?\/[\w/-]+)\.ts'/g, "$1.js'"),
      );
    }
  const { version, engines } = json(join(root, 'package.json'));
  const { name, ...rest } = json(join(root, 'packages/client/package.json'));
  const manifest = { name, version, ...rest, engines };
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, 'packages/client/README.md'), join(staged, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', destination], {
    cwd: staged,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
} finally {
  rmSync(staged, { recursive: true, force: true });
}
