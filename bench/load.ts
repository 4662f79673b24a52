/**
 * Sixty seconds at full speed, then a thousand slow clients, against a gateway on a PostgreSQL of its own, all on loopback. Prints what was measured; exit code 1 when a request
 * did not answer 200, when live memory grows by more than 1 % a minute after the warm-up, or when slow clients hold up /healthz for 100 ms.
 * usage: npm run test:load     SECONDS=60 by default
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { call } from './faults/call.ts';
import { pause, Rig } from './faults/fault.ts';
import { makeWorld } from './faults/world.ts';
import { encodeRequest, runLoad, type WireRequest } from './http-load.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
const WARM_UP = 30;
const SLOW = 1_000;
const CONNECTIONS = 16;

interface Sample {
  at: number;
  live: number;
  rss: number;
  p50: number;
  p99: number;
  max: number;
}

const rig = new Rig(false);
const leave = (code: number): never => {
  rig.end();
  process.exit(code);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave(1));
setTimeout(() => leave(1), (SECONDS + WARM_UP + 150) * 1_000).unref();
const faults: string[] = [];
try {
  await run();
} catch (error) {
  faults.push(String(error));
}
for (const fault of faults) console.log(`  ✗ ${fault}`);
console.log(faults.length > 0 ? 'FAILED' : 'all within bounds');
leave(faults.length > 0 ? 1 : 0);

async function run(): Promise<void> {
  const { url } = await rig.postgres();
  const folder = rig.folder();
  const env = { DATABASE_URL: url, DATA_DIR: folder };
  const { tokens } = await makeWorld(env);
  const file = join(folder, 'samples');
  const watch = pathToFileURL(join(import.meta.dirname, 'support', 'watch-process.mjs')).href;
  const gateway = await rig.gateway({
    ...env,
    WATCH_FILE: file,
    NODE_OPTIONS: `--import=${watch}`,
  });
  const requests = tokens.flatMap(requestsOf).map(encodeRequest);
  await runLoad(gateway.port, requests, CONNECTIONS, WARM_UP);
  const warm = samplesOf(file).length;
  const load = await runLoad(gateway.port, requests, CONNECTIONS, SECONDS);
  const samples = samplesOf(file).slice(warm);
  const percentile = (share: number): string =>
    (load.latencies[Math.floor(load.latencies.length * share)] ?? 0).toFixed(1);
  console.log(
    `full speed      ${load.requests} requests in ${load.seconds.toFixed(0)} s on ${CONNECTIONS} connections, each answered 200: ${Math.round(load.requests / load.seconds)}/s; p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms`,
  );
  const growth = growthPerMinute(samples);
  const megabytes = (bytes: number | undefined): string =>
    `${Math.round((bytes ?? 0) / 1_048_576)} MB`;
  console.log(
    `memory          live heap ${megabytes(samples[0]?.live)} → ${megabytes(samples.at(-1)?.live)} (${growth.toFixed(2)} %/min), resident ${megabytes(samples[0]?.rss)} → ${megabytes(samples.at(-1)?.rss)}`,
  );
  console.log(
    `event loop      delay p50 ${median(samples.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ${median(samples.map(({ p99 }) => p99)).toFixed(1)} ms (medians of 5 s), at most ${Math.max(...samples.map(({ max }) => max)).toFixed(0)} ms`,
  );
  if (growth > 1) faults.push(`live memory grows by ${growth.toFixed(2)} % a minute`);
  await slowClients(gateway.port, gateway.url, tokens[0] ?? '');
}

/** The mix: pages on both faces, counts, polls, and a write of the user's own marks. */
function requestsOf(token: string, index: number): WireRequest[] {
  const headers = { 'x-service-csrf-token-x': token, 'content-type': 'application/json' };
  const get = (path: string): WireRequest => ({ method: 'GET', path, headers });
  const graphql = (query: string, variables: object): WireRequest => ({
    method: 'POST',
    path: '/graphql',
    headers,
    body: JSON.stringify({ query, variables }),
  });
  return Array.from({ length: 20 }, (_, n) => [
    get('/task/v1/feeds/list?limit=20&sort_by=priority,endDateTime'),
    get('/task/v1/feeds/list?limit=50&status=N'),
    get('/task/v1/feeds/count?start_date=20260101&end_date=20261231'),
    graphql(
      'query ($n: Int!) { viewer { feeds(first: $n) { nodes { id feedKey feedTitle status pin } pageInfo { hasNextPage endCursor } } } }',
      { n: 20 },
    ),
    graphql(
      'mutation ($id: ID!, $pinned: Boolean!) { setFeedState(input: { feedIds: [$id], pinned: $pinned }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
      {
        id: Buffer.from(`Feed:${index * 20 + n + 1}`).toString('base64'),
        pinned: n % 2 === 0,
      },
    ),
    get(`/task/v1/feeds/list-latest?from_time=${Date.now() - 1_000}&feed_keys=${n + 1}`),
  ]).flat();
}

/** A thousand clients that send a byte now and then, or read nothing of a large answer; meanwhile /healthz. */
async function slowClients(port: number, url: string, token: string): Promise<void> {
  const sockets: Socket[] = [];
  const large = `GET /task/v1/feeds/list?limit=100 HTTP/1.1\r\nhost: a\r\nx-service-csrf-token-x: ${token}\r\n\r\n`;
  for (let n = 0; n < SLOW; n++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    if (n % 2 === 0) socket.pause().write(large);
    else socket.write('GET /healthz HTTP/1.1\r\nho');
    sockets.push(socket);
    if (n % 50 === 49) await pause(20);
  }
  // The answers that nobody reads are made first.
  await pause(5_000);
  const open = sockets.filter(
    ({ readyState, destroyed }) => !destroyed && readyState === 'open',
  ).length;
  const dribble = setInterval(() => {
    for (const [n, socket] of sockets.entries())
      if (n % 2 === 1 && socket.writable) socket.write('s');
  }, 500);
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const { status, ms } = await call(url, '/healthz', '');
    if (status !== 200) faults.push(`/healthz answered ${status}`);
    times.push(ms);
    await pause(50);
  }
  clearInterval(dribble);
  for (const socket of sockets) socket.destroy();
  const worst = Math.max(...times);
  console.log(
    `slow clients    ${open} open: /healthz p50 ${median(times).toFixed(1)} ms, at most ${worst.toFixed(1)} ms`,
  );
  if (open < SLOW * 0.9) faults.push(`only ${open} slow clients got a connection`);
  if (worst >= 100) faults.push(`/healthz took ${worst.toFixed(0)} ms`);
}

function samplesOf(file: string): Sample[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample);
}

/** Slope of the line through the live memory, in per cent of its mean. */
function growthPerMinute(samples: readonly Sample[]): number {
  const mean = (values: number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [at, live] = [
    mean(samples.map((sample) => sample.at)),
    mean(samples.map((sample) => sample.live)),
  ];
  const [up, across] = samples.reduce(
    ([a, b], sample) => [a + (sample.at - at) * (sample.live - live), b + (sample.at - at) ** 2],
    [0, 0],
  );
  return ((up / across) * 60_000 * 100) / live;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
