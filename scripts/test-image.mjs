// Builds the image without a container daemon, runs it as docker-compose.yml does, beside PostgreSQL and an S3 store, and looks into it. Fails loudly.
// usage: npm run test:image [-- --sbom file]     needs Linux, root, buildah, debootstrap, and PostgreSQL's programs
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { startPostgres } from '../bench/support/own-postgres.ts';
import { startS3Server } from '../test/support/s3-server.ts';
import { freePort, useGateway } from './use-gateway.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { sbom } = parseArgs({ options: { sbom: { type: 'string' } } }).values;

/** What the image may have beside its base, in megabytes. */
const MOST_MEGABYTES = 250;
/** Time for a stop, in milliseconds. */
const STOPS_WITHIN = 10_000;
/** Longest that the use of the image may take, in milliseconds. */
const PATIENCE = 180_000;

const missing = ['buildah', 'debootstrap'].filter((program) => !has(program));
if (process.getuid?.() !== 0 || missing.length > 0) {
  console.log(`not run: needs ${['root', ...missing].join(', ')}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'trivium-image-'));
const begun = Date.now();
const say = (what) => console.log(`  ${((Date.now() - begun) / 1000).toFixed(1)} s  ${what}`);
try {
  makeBase('base');
  say('made the base from Debian packages and the package node');
  build('base', 'trivium');
  say('built the image');
  const container = buildah('from', 'trivium');
  const tree = buildah('mount', container);
  inspect(tree, size('trivium') - size('base'));
  await run(tree);
  buildah('rm', container);
} finally {
  buildah('unmount', '--all');
  rmSync(folder, { recursive: true, force: true });
}

function has(program) {
  return process.env.PATH.split(':').some((place) => existsSync(join(place, program)));
}

function buildah(...args) {
  const store = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 };
  return execFileSync('buildah', [...store, '--storage-driver', 'vfs', ...args], options).trim();
}

/** What node:24-slim is: Debian, Node with npm, and a user `node`. */
function makeBase(name) {
  const tree = join(folder, 'tree');
  const release = /VERSION_CODENAME=(\w+)/.exec(readFileSync('/etc/os-release', 'utf8'))[1];
  quietly('debootstrap', '--variant=minbase', '--include=ca-certificates', release, tree);
  const wanted = /^ARG BASE=node:(\d+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))[1];
  quietly(
    'npm',
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    `node@${wanted}`,
    'npm@11',
  );
  const bin = join(tree, 'usr/local/bin');
  quietly('cp', join(folder, 'node_modules/node/bin/node'), bin);
  mkdirSync(join(tree, 'usr/local/lib/node_modules'));
  quietly(
    'cp',
    '-r',
    join(folder, 'node_modules/npm'),
    join(tree, 'usr/local/lib/node_modules/npm'),
  );
  quietly('ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
  quietly('chroot', tree, 'useradd', '--create-home', '--uid', '1000', 'node');
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, tree, '/');
  buildah('commit', '--quiet', container, name);
  buildah('rm', container);
  rmSync(tree, { recursive: true });
}

/** The registry, and whom npm trusts, are those of this machine; nothing of it stays in the image. */
function build(base, name) {
  const settings = ['registry', 'cafile'].map((key) => [key, npmSetting(key)]);
  const rc = join(folder, 'npmrc');
  writeFileSync(
    rc,
    settings.map(([key, value]) => (value === '' ? '' : `${key}=${value}\n`)).join(''),
  );
  const volumes = ['-v', `${rc}:/root/.npmrc:ro`, '-v', '/etc/ssl/certs:/etc/ssl/certs:ro'];
  const how = [
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--build-arg',
    `BASE=localhost/${base}`,
  ];
  buildah('bud', ...how, ...volumes, '-t', name, root);
}

function npmSetting(key) {
  const value = execFileSync('npm', ['config', 'get', key], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return value.trim().replace(/^null$/, '');
}

function size(name) {
  const images = JSON.parse(buildah('images', '--json'));
  const shown = images.find(({ names }) => names?.[0]?.startsWith(`localhost/${name}:`)).size;
  const [, number, unit] = /^([\d.]+) (MB|GB)$/.exec(shown);
  return number * (unit === 'GB' ? 1000 : 1);
}

/** What npm does not find necessary for production makes `npm ls` fail. */
function inspect(tree, megabytes) {
  const app = join(tree, 'app');
  const { problems = [] } = JSON.parse(quietly('npm', 'ls', '--prefix', app, '--all', '--json'));
  if (problems.length > 0) throw new Error(problems.join('; '));
  const scripts = readdirSync(app, { recursive: true }).filter(
    (name) => name.endsWith('.sh') || /^(src|test|scripts)\//.test(name),
  );
  if (scripts.length > 0) throw new Error(`scripts or sources: ${scripts.slice(0, 5).join(', ')}`);
  const compilers = ['gcc', 'cc', 'g++', 'make', 'tsc', 'esbuild'].filter((name) =>
    ['usr/bin', 'usr/local/bin', 'app/node_modules/.bin'].some((place) =>
      existsSync(join(tree, place, name)),
    ),
  );
  if (compilers.length > 0) throw new Error(`compilers: ${compilers.join(', ')}`);
  if (megabytes > MOST_MEGABYTES) throw new Error(`${megabytes} MB beside the base`);
  say(`looked into it: ${megabytes.toFixed(0)} MB beside the base`);
  const parts = JSON.parse(quietly('npm', 'sbom', '--prefix', app, '--sbom-format', 'cyclonedx'));
  if (sbom) writeFileSync(sbom, `${JSON.stringify(parts, undefined, 2)}\n`);
  say(`made its bill of materials: ${parts.components.length} packages`);
}

/** As a user without rights, on a root file system that is read only. */
async function run(tree) {
  const postgres = await startPostgres();
  const store = await startS3Server();
  const port = await freePort();
  const data = join(folder, 'data');
  mkdirSync(data);
  chownSync(data, 1000, 1000);
  const { config } = JSON.parse(buildah('inspect', '--type', 'image', 'trivium')).Docker;
  const compose = load(readFileSync(join(root, 'docker-compose.yml'), 'utf8'));
  const env = {
    ...Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))),
    ...compose.services['gateway-1'].environment,
    DATABASE_URL: postgres.url,
    STORAGE: `s3://${store.bucket}?endpoint=${store.endpoint}`,
    AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
  };
  const inside = join(folder, 'root');
  mkdirSync(inside);
  const mounts = [
    `mount --bind ${tree} ${inside}`,
    `mount -o remount,bind,ro ${inside}`,
    `mount -t proc proc ${inside}/proc`,
    `mount -t tmpfs tmpfs ${inside}/tmp`,
    `mount --bind ${data} ${inside}/data`,
    `mount --rbind /dev ${inside}/dev`,
  ];
  // Each program becomes the next one, so that the signal reaches the gateway.
  const start = `exec setpriv --no-new-privs chroot --userspec=1000:1000 ${inside} env -C ${config.WorkingDir} "$@"`;
  const gateway = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      [...mounts, start].join(' && '),
      'sh',
      ...config.Cmd,
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
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
    const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
    if (!/^Uid:\t1000\t1000\t/m.test(status) || !/^CapEff:\t0+$/m.test(status))
      throw new Error(`it has rights:\n${status}`);
    const from = Date.now();
    gateway.kill('SIGTERM');
    const code = await ended;
    const took = Date.now() - from;
    if (code !== 0 || took > STOPS_WITHIN) throw new Error(`stopped with ${code} after ${took} ms`);
    say(`stopped by SIGTERM within ${took} ms`);
  } catch (error) {
    console.error(output);
    throw error;
  } finally {
    clearTimeout(late);
    gateway.kill('SIGKILL');
    await store.close();
    postgres.stop();
  }
}

function quietly(program, ...args) {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  });
}
