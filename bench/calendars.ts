// What two calendar programs that never stop asking cost everybody else: node --import tsx bench/calendars.ts [seconds] [--postgres]
// The demo, in a gateway of its own; pages of feeds one after the other, with /healthz watched, alone and beside the two.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startGatewayProcess } from './support/gateway-process.ts';
import { startPostgres } from './support/own-postgres.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean', default: false } },
});
const SECONDS = Number(positionals[0] ?? 8);
const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
const postgres = options.postgres ? await startPostgres() : undefined;
const { url, child } = await startGatewayProcess(4790, {
  DATA_DIR: folder,
  DEMO: 'true',
  ...(postgres && { DATABASE_URL: postgres.url }),
});

const post = async (path: string, body: object, token = ''): Promise<Record<string, any>> => {
  const headers = { 'content-type': 'application/json', 'x-service-csrf-token-x': token };
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await reply.json()) as Record<string, any>;
};
const timed = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
  const started = performance.now();
  await (await fetch(path, { headers })).arrayBuffer();
  return performance.now() - started;
};
const quantile = (times: number[], share: number): string =>
  `${(times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(1)} ms`;

try {
  const { token } = await post('/session', { login: 'supervisor', password: 'demo' });
  const create =
    'mutation { createCalendarSubscription(input: { timeZone: "Europe/Berlin" }) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }';
  const { data } = await post('/graphql', { query: create }, token);
  const calendar: string = data.createCalendarSubscription.icsUrl;
  console.log(
    `written ${(await timed(calendar)).toFixed(0)} ms, kept ${(await timed(calendar)).toFixed(1)} ms`,
  );
  const etag = (await fetch(calendar)).headers.get('etag') ?? '';
  console.log(`304 ${(await timed(calendar, { 'if-none-match': etag })).toFixed(1)} ms`);
  const measure = async (name: string, readers: number, headers = {}): Promise<void> => {
    const end = performance.now() + SECONDS * 1_000;
    const until = async (work: () => Promise<unknown>): Promise<void> => {
      while (performance.now() < end) await work();
    };
    const [pages, health]: [number[], number[]] = [[], []];
    let calendars = 0;
    await Promise.all([
      ...Array.from({ length: readers }, () =>
        until(async () => void (calendars += await timed(calendar, headers).then(() => 1))),
      ),
      until(async () =>
        pages.push(
          await timed(`${url}/task/v1/feeds/list?limit=20`, { 'x-service-csrf-token-x': token }),
        ),
      ),
      until(async () => {
        health.push(await timed(`${url}/healthz`));
        await pause(10);
      }),
    ]);
    console.log(
      `${name}: feeds/list p50 ${quantile(pages, 0.5)}, p99 ${quantile(pages, 0.99)}; /healthz worst ${quantile(health, 1)}; ${calendars} calendars`,
    );
  };
  await measure('alone', 0);
  await measure('beside two calendar programs', 2);
  await measure('beside two that have the calendar already', 2, { 'if-none-match': etag });
} finally {
  child.kill();
  postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
