// A domain moves between two cells while clients read and write: how long writes are refused, and whether one is lost.
// usage: node --import tsx bench/cells/move.ts [feeds] [images]
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createApiKey } from '../../src/accounts/api-keys/create-api-key.ts';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { createLog } from '../../src/core/log.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { startGateway, type Gateway } from '../../src/server/start.ts';
import { storeImages } from '../../test/support/store-images.ts';
import { startPostgres } from '../support/own-postgres.ts';

const [feeds = 100_000, images = 1_000] = process.argv.slice(2).map(Number);
const IMAGE_BYTES = 50_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-cells-'));
const run = promisify(execFile);

interface Cell {
  env: Record<string, string>;
  gateway: Gateway;
  services: Services;
  stop(): Promise<void>;
}

async function startCell(number: number): Promise<Cell> {
  const server = await startPostgres();
  const env = {
    DATABASE_URL: server.url,
    DATA_DIR: join(folder, String(number)),
    CELL: String(number),
    PORT: '0',
    DEMO: 'false',
    NODE_ENV: 'production',
    RATE_LIMIT: '0',
  };
  let services: Services | undefined;
  const gateway = await startGateway(readConfig(env), {
    log: createLog('silent'),
    onServices: (made) => (services = made),
  });
  if (!services) throw new Error('no services');
  const stop = async (): Promise<void> => {
    await gateway.close();
    server.stop();
  };
  return { env, gateway, services, stop };
}

function* records(): Generator<object> {
  yield { record: 'domain', name: 'acme' };
  for (let n = 0; n < 20; n++) yield { record: 'unit', domain: 'acme', name: `store ${n}` };
  for (let n = 0; n < 10; n++) yield { record: 'dept', domain: 'acme', name: `dept ${n}` };
  for (let n = 0; n < 100; n++)
    yield {
      ...{ record: 'user', domain: 'acme', login: `user${n}`, display_name: `User ${n}` },
      ...{ unit: `store ${n % 20}`, depts: [{ name: `dept ${n % 10}`, home: true }] },
    };
  for (let n = 1; n <= feeds; n++)
    yield {
      ...{ record: 'feed', domain: 'acme', feed_key: n, kind: 'TASK', feed_title: `Task ${n}` },
      ...{ unit: `store ${n % 20}`, dept: `dept ${n % 10}`, priority: n % 5 },
      end_date_time: new Date(Date.UTC(2027, 0, 1 + (n % 300)))
        .toISOString()
        .slice(0, 19)
        .replace('T', ' '),
    };
}

/** It is their bytes that move. */
function* imageBytes(): Generator<Buffer> {
  for (let n = 0; n < images; n++) yield randomBytes(IMAGE_BYTES);
}

const trivium = async (cell: Cell, ...args: string[]): Promise<number> => {
  const start = performance.now();
  await run(process.execPath, ['bin/trivium.js', 'domain', ...args], {
    env: { ...process.env, ...cell.env },
  });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${seconds.toFixed(1).padStart(7)} s  domain ${args.map((arg) => arg.replace(folder, '…')).join(' ')}`,
  );
  return seconds;
};

const [a, b] = [await startCell(1), await startCell(2)];
try {
  await importRecords(a.services, asLines(records()), { name: 'bench' });
  await storeImages(a.services, 'acme', imageBytes());
  const domain = await a.services.db.prisma.domain.findUniqueOrThrow({ where: { name: 'acme' } });
  const { key } = await createApiKey(a.services, { customerId: 'shop', domainId: domain.id });
  const { token } = await createSession(a.services, 'user0');
  /** What a proxy knows: where the domain is. */
  let leadsTo = a;
  let [over, reads, failedReads, refused] = [false, 0, 0, 0];
  let [firstRefused, lastRefused] = [0, 0];
  const acknowledged: string[] = [];
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; !over; n++) {
      const name = `${writer}-${n}`;
      for (;;) {
        const { status } = await fetch(`${leadsTo.gateway.url}/api/task-tracker-external/tasks`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'API-Key': key,
            customerId: 'shop',
            'Idempotency-Key': name,
          },
          body: JSON.stringify({ name }),
        });
        if (status === 201) {
          acknowledged.push(name);
          break;
        }
        if (status !== 503) throw new Error(`a write was answered with ${status}`);
        refused++;
        firstRefused ||= performance.now();
        lastRefused = performance.now();
        await sleep(100);
      }
      await sleep(20);
    }
  };
  const read = async (): Promise<void> => {
    while (!over) {
      const { status } = await fetch(`${leadsTo.gateway.url}/task/v1/feeds/list?limit=20`, {
        headers: { 'X-service-csrf-token-X': token },
      });
      reads++;
      if (status !== 200) failedReads++;
      await sleep(20);
    }
  };
  const clients = [write(1), write(2), read(), read()];
  const [base, rest] = [join(folder, 'acme.tar'), join(folder, 'rest.tar')];
  await trivium(a, 'export', '--domain', 'acme', base);
  await trivium(b, 'import', '--hold', base);
  await trivium(a, 'export', '--domain', 'acme', '--lock', '--since', base, rest);
  await trivium(b, 'import', rest);
  leadsTo = b;
  await sleep(1_000);
  over = true;
  await Promise.all(clients);
  await trivium(a, 'delete', '--domain', 'acme', '--yes');
  const tasks = await b.services.db.prisma.externalTask.findMany({ select: { name: true } });
  const names = tasks.map((task) => task.name);
  const there = new Set(names);
  console.log(
    JSON.stringify({
      ...{ feeds, images, reads, failedReads, refused, acknowledged: acknowledged.length },
      lost: acknowledged.filter((name) => !there.has(name)).length,
      twice: names.length - there.size,
      writesRefusedSeconds: Number(((lastRefused - firstRefused) / 1000).toFixed(1)),
    }),
  );
} finally {
  await a.stop();
  await b.stop();
  rmSync(folder, { recursive: true, force: true });
}
