// What the everyday operations cost, in this checkout and in another: see README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import sharp from 'sharp';
import { startGateway } from './contenders.ts';
import type { Answer, Caller, Step } from './operations/steps.ts';
import { everyday, signedIn, signIn, type People } from './operations/story.ts';
import { median } from './run-rounds.ts';
import type { ServerProcess } from './server-process.ts';

const { values: options } = parseArgs({
  options: { before: { type: 'string' }, rounds: { type: 'string', default: '60' } },
});
const SERVER = process.env['DATABASE_URL'] ?? 'postgresql://postgres@127.0.0.1:5432/postgres';
const WARM_UP = 15;

interface Contender {
  server: ServerProcess;
  agent: Agent;
  people: People;
  times: Map<string, number[]>;
}

const admin = new pg.Client({ connectionString: SERVER });
const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
const databases: string[] = [];
const servers: ServerProcess[] = [];
const contenders: Contender[] = [];

try {
  await admin.connect();
  if (options.before !== undefined) contenders.push(await open('before', options.before));
  contenders.push(await open('after'));
  const image = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const rounds = Number(options.rounds);
  for (let round = -WARM_UP; round < rounds; round++) await play(round, image);
  process.stdout.write(table());
} finally {
  for (const { agent } of contenders) agent.destroy();
  for (const server of servers) await server.stop();
  for (const name of databases) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
}

/** A gateway with the demo, on a database and a folder of its own. */
async function open(name: string, checkout?: string): Promise<Contender> {
  const database = `trivium_ops_${name}`;
  await admin.query(`CREATE DATABASE ${database}`);
  databases.push(database);
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  const env = { DATABASE_URL: url.href, DATA_DIR: join(folder, name), DEMO: 'true' };
  const server = await startGateway(env, checkout);
  servers.push(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sign = async (login: string): Promise<Caller> =>
    signedIn(await send({ server, agent }, signIn(login)));
  const [associate, supervisor, boss] = [
    await sign('associate'),
    await sign('supervisor'),
    await sign('leader'),
  ];
  return { server, agent, people: { associate, supervisor, admin: boss }, times: new Map() };
}

/** One round, step by step: each step is taken by all contenders before the next, and by another one first each time. */
async function play(round: number, image: Buffer): Promise<void> {
  const stories = contenders.map((contender) => {
    const story = everyday(contender.people, round + WARM_UP, image);
    return { contender, story, step: story.next() };
  });
  for (let turn = round + WARM_UP; stories.some(({ step }) => step.done !== true); turn++) {
    for (let place = 0; place < stories.length; place++) {
      const playing = stories[(turn + place) % stories.length];
      if (!playing || playing.step.done === true) continue;
      const { name } = playing.step.value;
      const before = performance.now();
      const answer = await send(playing.contender, playing.step.value);
      const time = performance.now() - before;
      if (name !== undefined && round >= 0) {
        const { times } = playing.contender;
        times.set(name, [...(times.get(name) ?? []), time]);
      }
      playing.step = playing.story.next(answer);
    }
  }
}

function send({ server, agent }: Pick<Contender, 'server' | 'agent'>, step: Step): Promise<Answer> {
  const { method, path, headers, body } = step;
  return new Promise((resolve, reject) => {
    const sent = request({ port: server.port, method, path, agent, headers }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('error', reject);
      reply.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const failed =
          (reply.statusCode ?? 0) >= 300 || /"errors":\[|"__typename":"\w*Error"/.test(text);
        if (failed) reject(new Error(`${step.name ?? path}: ${reply.statusCode} ${text}`));
        else resolve(text.startsWith('{') ? JSON.parse(text) : undefined);
      });
    });
    sent.on('error', reject);
    sent.setHeader('content-length', body === undefined ? 0 : Buffer.byteLength(body));
    sent.end(body);
  });
}

function table(): string {
  const [before, after = before] = contenders.map(({ times }) => times);
  const lines = [...(after ?? [])].map(([name, times]) => {
    const [old, now] = [median(before?.get(name) ?? []), median(times)];
    return {
      ratio: now / old,
      line: `| ${name} | ${old.toFixed(2)} | ${now.toFixed(2)} | ${(now / old).toFixed(2)} |`,
    };
  });
  lines.sort((a, b) => b.ratio - a.ratio);
  return `| operation | before, ms | after, ms | ratio |\n|---|--:|--:|--:|\n${lines.map(({ line }) => `${line}\n`).join('')}`;
}
