/**
 * What one domain at full load does to another's latencies, on one gateway and one PostgreSQL.
 * usage: npm run build && node --import tsx bench/cells/neighbours.ts [domains] [feeds of each]
 *   KEEP=1 fills a database and keeps it until it is stopped; DATABASE_URL, which it prints, lets another run only measure.  SECONDS=12
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { createLog } from '../../src/core/log.ts';
import { createServices } from '../../src/server/services.ts';
import { post, selection, startGateway } from '../contenders.ts';
import { encodeRequest, fetchJson, runPaced, type WireRequest } from '../http-load.ts';
import { trivium } from '../mixed/asked.ts';
import { table } from '../report.ts';
import { startPostgres } from '../support/own-postgres.ts';
import { copyDomains } from './copy-domains.ts';
import type { Noise } from './noise.ts';

const [domains = 100, feeds = 100_000] = process.argv.slice(2).map(Number);
const SECONDS = Number(process.env['SECONDS'] ?? 12);
/** Requests a second of the quiet domain. */
const RATES = { page: 50, poll: 20, write: 20, healthz: 20 } as const;
const USERS = 20;
const folder = mkdtempSync(join(tmpdir(), 'trivium-neighbours-'));
const server = process.env['DATABASE_URL']
  ? undefined
  : await startPostgres({
      settings: ['shared_buffers=2GB', 'max_wal_size=8GB', 'checkpoint_timeout=30min'],
    });
const env = {
  DATABASE_URL: server?.url ?? process.env['DATABASE_URL'] ?? '',
  DATA_DIR: folder,
  RATE_LIMIT: '0',
};

async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const services = await createServices(readConfig(env), { log: createLog('silent') });
  try {
    return await work(services);
  } finally {
    await services.imaging.close();
    await services.storage.close();
    await services.db.close();
  }
}

/** Somebody of a domain. */
interface Viewer {
  userId: number;
  unitId: number;
  homeDepts: number[];
  zone: string;
  token: string;
}

/** Users of the n-th copy; 0 is the domain that was imported. */
async function viewersOf(services: Services, copy: number): Promise<Viewer[]> {
  return Promise.all(
    Array.from({ length: USERS }, async (_, n) => {
      const login = copy === 0 ? `user${n}` : `user${n}-${copy}`;
      const { token, user } = await createSession(services, login).then(async ({ token }) => ({
        token,
        user: await services.db.prisma.user.findUniqueOrThrow({ where: { login } }),
      }));
      return { userId: user.id, unitId: user.unitId ?? 0, homeDepts: [], zone: 'UTC', token };
    }),
  );
}

const asked = (viewer: Viewer, query: string): WireRequest =>
  post(query, {}, { 'x-service-csrf-token-x': viewer.token });
const SORTS = ['END_DATE_TIME', 'PRIORITY', 'FEED_TITLE'];
const pages = (viewers: readonly Viewer[]): WireRequest[] =>
  viewers.flatMap((viewer) =>
    SORTS.map((field) =>
      asked(
        viewer,
        `{ viewer { feeds(first: 20, filter: { view: STORE_VIEW }, orderBy: [{ field: ${field} }]) { nodes { ${selection} } } } }`,
      ),
    ),
  );

/** What costs most: long pages with their totals, counts by a text, and calendars of years. */
const DEAR = [
  `feeds(first: 100, filter: { view: DEPARTMENT_VIEW }) { totalCount nodes { ${selection} } }`,
  'feeds(first: 1, filter: { view: DEPARTMENT_VIEW, feedTitle: "k 1" }) { totalCount }',
  'feeds(first: 1, filter: { view: STORE_VIEW, feedTitle: "zzzq" }) { totalCount nodes { id } }',
  'feedCounts(startDate: "2020-01-01", endDate: "2030-01-01", filter: { feedTitle: "9" }) { total }',
  `calendar(source: CALENDAR, from: "2025-12-01", to: "2027-12-01") { ... on CalendarFeeds { feeds(first: 100) { totalCount nodes { ${selection} } } } }`,
];
const documents = (viewers: readonly Viewer[]): WireRequest[] =>
  viewers.flatMap((viewer) => DEAR.map((field) => asked(viewer, `{ viewer { ${field} } }`)));

interface Page {
  data: {
    viewer: { feeds: { totalCount: number; nodes: { feedKey: number; feedTitle: string }[] } };
  };
}
const FIRST =
  '{ viewer { feeds(first: 50, filter: { view: STORE_VIEW }) { totalCount nodes { feedKey feedTitle } } } }';

async function firstPage(port: number, viewer: Viewer): Promise<Page['data']['viewer']['feeds']> {
  return ((await fetchJson(port, asked(viewer, FIRST))) as Page).data.viewer.feeds;
}

/** A copy answers as the domain does of which it is one. */
async function compare(port: number, [one, other]: readonly [Viewer[], Viewer[]]): Promise<void> {
  for (const [n, viewer] of one.entries()) {
    const copy = other[n];
    if (!copy) throw new Error('no users');
    const [mine, its] = [await firstPage(port, viewer), await firstPage(port, copy)];
    const said = ({ totalCount, nodes }: typeof mine): string =>
      JSON.stringify([totalCount, nodes.map(({ feedTitle }) => feedTitle)]);
    if (mine.totalCount === 0 || said(mine) !== said(its))
      throw new Error(`a copy answers ${said(its)} and not ${said(mine)}`);
  }
}

/** Marks, and changes of the status there and back. */
async function writes(port: number, viewers: readonly Viewer[]): Promise<WireRequest[]> {
  const made: WireRequest[] = [];
  for (const viewer of viewers) {
    const { nodes } = await firstPage(port, viewer);
    const [mark, status] = [Number(nodes[0]?.feedKey), Number(nodes[1]?.feedKey)];
    made.push(trivium.mark(viewer, mark, true), trivium.status(viewer, status, 'C'));
    made.push(trivium.mark(viewer, mark, false), trivium.status(viewer, status, 'P'));
  }
  for (const one of made) {
    const text = JSON.stringify(await fetchJson(port, one));
    if (!text.includes('Payload"')) throw new Error(`a write was answered ${text}`);
  }
  return made;
}

async function makeNoise(noise: Noise): Promise<{ rate: number; p99: number }> {
  const child = fork(new URL('noise.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  child.send(noise);
  const [said] = (await once(child, 'message')) as [{ rate: number; p99: number; error?: string }];
  if (said.error !== undefined) throw new Error(said.error);
  return said;
}

type Latencies = Record<keyof typeof RATES, { p50: number; p99: number }>;

async function measure(
  port: number,
  asks: Record<keyof typeof RATES, Buffer[]>,
): Promise<Latencies> {
  const kinds = Object.keys(RATES) as (keyof typeof RATES)[];
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const { latencies } = await runPaced(port, asks[kind], {
        ...{ rate: RATES[kind], connections: 32, seconds: SECONDS },
      });
      const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? NaN;
      return [kind, { p50: at(0.5), p99: at(0.99) }];
    }),
  );
  return Object.fromEntries(found) as Latencies;
}

try {
  await withServices(async (services) => {
    if ((await services.db.prisma.domain.count()) === 0)
      await copyDomains(services, { domains, feeds });
  });
  const [first, loud, quiet] = await withServices((services) =>
    Promise.all([0, 1, domains - 1].map((copy) => viewersOf(services, copy))),
  );
  if (!first || !loud || !quiet) throw new Error('no users');
  if (process.env['KEEP']) {
    console.log(`DATABASE_URL=${env.DATABASE_URL}`);
    // A signal keeps no process alive.
    const stays = setInterval(() => undefined, 60_000);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    clearInterval(stays);
  } else {
    const gateway = await startGateway(env);
    try {
      const { port } = gateway;
      await compare(port, [first, quiet]);
      const bytes = (requests: readonly WireRequest[]): Buffer[] => requests.map(encodeRequest);
      const asks = {
        page: bytes(pages(quiet)),
        poll: bytes(quiet.map((viewer) => trivium.poll(viewer, Date.now()))),
        write: bytes(await writes(port, quiet)),
        healthz: bytes([{ method: 'GET', path: '/healthz', headers: {} }]),
      };
      await measure(port, asks);
      const alone = await measure(port, asks);
      const lines: string[][] = [];
      const tell = (name: string, noise: string, found: Latencies): void =>
        void lines.push([
          name,
          noise,
          ...Object.entries(found).map(([kind, { p50, p99 }]) => {
            const ratio = p99 / alone[kind as keyof Latencies].p99;
            return `${p50.toFixed(1)}/${p99.toFixed(1)} ms (${ratio.toFixed(1)} ×)`;
          }),
        ]);
      tell('alone', '', alone);
      for (const [name, requests] of [
        ['pages', pages(loud)],
        ['dear documents', documents(loud)],
      ] as const) {
        for (const one of requests) await fetchJson(port, one);
        const encoded = requests.map((one) => encodeRequest(one).toString('base64'));
        for (const connections of [16, 64]) {
          const noise = makeNoise({ port, requests: encoded, connections, seconds: SECONDS + 3 });
          await pause(1_500);
          const found = await measure(port, asks);
          const { rate, p99 } = await noise;
          tell(
            `${connections} connections, ${name}`,
            `${Math.round(rate)}/s, p99 ${Math.round(p99)} ms`,
            found,
          );
        }
      }
      console.log(
        table(
          ['the other domain', 'its rate', ...Object.keys(RATES).map((kind) => `${kind} p50/p99`)],
          lines,
        ),
      );
    } finally {
      await gateway.stop();
    }
  }
} finally {
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
