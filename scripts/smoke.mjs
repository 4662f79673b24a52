// Starts what `npm run build` made on another version of Node, and uses each way in once. Fails loudly.
// usage: node scripts/smoke.mjs [26 24 …; this one by default]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, useGateway } from './use-gateway.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Longest that one version may take, in milliseconds; some 10 s where nothing else runs. */
const PATIENCE = 120_000;

for (const version of process.argv.length > 2 ? process.argv.slice(2) : [undefined]) {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-smoke-'));
  try {
    const node = version === undefined ? process.execPath : installNode(version, folder);
    await smoke(node, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package `node` brings the program of a version. */
function installNode(version, folder) {
  const options = [
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--silent',
    '--foreground-scripts',
  ];
  execFileSync('npm', ['install', ...options, `node@${version}`], { cwd: folder });
  return join(folder, 'node_modules/node/bin/node');
}

async function smoke(node, folder) {
  const begun = Date.now();
  const say = (what) => console.log(`  ${((Date.now() - begun) / 1000).toFixed(1)} s  ${what}`);
  console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`);
  const port = await freePort();
  const gateway = spawn(node, ['dist/main.js'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: '', PORT: String(port), DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.on('data', (bytes) => (output += bytes));
  const ended = new Promise((resolve) => gateway.on('exit', (code) => resolve(code)));
  const late = setTimeout(() => gateway.kill('SIGKILL'), PATIENCE);
  try {
    await Promise.race([
      useGateway(`http://127.0.0.1:${port}`, say),
      ended.then((code) => Promise.reject(new Error(`the gateway ended with ${code}`))),
    ]);
    gateway.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`stopped with exit code ${code}`);
    say('stopped by SIGTERM with exit code 0');
  } catch (error) {
    console.error(output);
    throw error;
  } finally {
    clearTimeout(late);
    gateway.kill('SIGKILL');
  }
}
