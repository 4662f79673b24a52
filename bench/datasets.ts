// Datasets against their floors, taking turns on this machine: node --import tsx bench/datasets.ts [rounds] [--postgres]
// Gateway, load clients and floors are processes of their own. CPU is user and system time of the process: it means the same on a busy machine.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepare } from './datasets/prepare.ts';
import { startServer } from './server-process.ts';
import { startPostgres } from './support/own-postgres.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean', default: false } },
});
const ROUNDS = Number(positionals[0] ?? 5);
/** Of a turn of thumbnails: long enough for the gateway to be warm. */
const SECONDS = '4';
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
const postgres = options.postgres ? await startPostgres() : undefined;
const env = {
  ...(postgres && { DATABASE_URL: postgres.url }),
  PORT: '0',
  DATA_DIR: folder,
  DEMO: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT: '0',
  REQUEST_TIMEOUT_MS: '600000',
  NODE_ENV: 'production',
};
const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Runs a program of ours and reads the JSON that it prints. */
const run = <T>(program: string, args: readonly string[]): Promise<T> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', `bench/datasets/${program}.ts`, ...args],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.on('close', (code) =>
      code === 0
        ? resolve(JSON.parse(text) as T)
        : reject(new Error(`${program} ended with ${code}`)),
    );
  });

interface Rate {
  perSecond: number;
  cpuMs: number;
}

try {
  const made = await prepare(folder, env);
  const gateway = await startServer(
    process.execPath,
    ['--import', 'tsx', 'src/main.ts'],
    env,
    root,
  );
  const url = `http://127.0.0.1:${gateway.port}`;
  const cpu = (): number => gateway.cpuMs() ?? NaN;
  try {
    // ── thumbnails: the same files, as many at once, with the gateway's own settings; the floor reads them from disk and writes the thumbnails to disk
    const jobs = String(made.jobs);
    const thumbnails = {
      ratio: [] as number[],
      bare: [] as Rate[],
      gateway: [] as Rate[],
      client: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await run<Rate>('bare-thumbnails', [folder, jobs, SECONDS]);
      const before = cpu();
      const { perSecond, count, cpuMs } = await run<Rate & { count: number }>('upload-client', [
        url,
        made.token,
        made.dataset,
        folder,
        '4',
        SECONDS,
      ]);
      thumbnails.bare.push(bare);
      thumbnails.gateway.push({ perSecond, cpuMs: (cpu() - before) / count });
      thumbnails.ratio.push(perSecond / bare.perSecond);
      thumbnails.client.push(cpuMs);
    }
    const show = (rates: Rate[]): string =>
      `${median(rates.map((rate) => rate.perSecond)).toFixed(1)}/s, ${median(rates.map((rate) => rate.cpuMs)).toFixed(1)} ms CPU`;
    console.log(
      `thumbnails of 2400 × 1800, ${jobs} at once: bare ${show(thumbnails.bare)}; gateway ${show(thumbnails.gateway)}, its client ${median(thumbnails.client).toFixed(1)}; ratio ${median(thumbnails.ratio).toFixed(2)}, at best ${Math.max(...thumbnails.ratio).toFixed(2)}`,
    );

    // ── feeds while images are uploaded
    const feeds = { idle: [] as number[], busy: [] as number[] };
    for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
      feeds.idle.push((await run<{ p99: number }>('feeds-client', [url, made.token, '4'])).p99);
      const [, busy] = await Promise.all([
        run('upload-client', [url, made.token, made.dataset, folder, '4', '7']),
        run<{ p99: number }>('feeds-client', [url, made.token, '4']),
      ]);
      feeds.busy.push(busy.p99);
    }
    const [idle, busy] = [median(feeds.idle), median(feeds.busy)];
    console.log(
      `feeds/list p99: idle ${idle.toFixed(1)} ms, while uploading ${busy.toFixed(1)} ms, ${(busy / idle).toFixed(2)} times as long`,
    );

    // ── export: the archive through curl, against cat of the same files
    const seconds = {
      cat: [] as number[],
      export: [] as number[],
      ratio: [] as number[],
      cpu: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      let started = performance.now();
      execFileSync('sh', ['-c', `xargs cat < ${join(folder, 'list')} | cat > /dev/null`]);
      const cat = performance.now() - started;
      const before = cpu();
      started = performance.now();
      await new Promise<void>((resolve, reject) => {
        const curl = spawn('curl', [
          '-sf',
          '-o',
          '/dev/null',
          '-H',
          `x-service-csrf-token-x: ${made.token}`,
          `${url}/api/Projects/export?projectId=${made.project}&dataFilter=All`,
        ]);
        curl.on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`curl ended with ${code}`)),
        );
      });
      const exported = performance.now() - started;
      seconds.cat.push(cat);
      seconds.export.push(exported);
      seconds.ratio.push(cat / exported);
      seconds.cpu.push((cpu() - before) / made.images);
    }
    console.log(
      `export of ${made.images} images of ${made.imageBytes / 1000} kB: cat ${median(seconds.cat).toFixed(0)} ms, export ${median(seconds.export).toFixed(0)} ms, ${median(seconds.cpu).toFixed(3)} ms CPU an image; ratio ${median(seconds.ratio).toFixed(2)}, at best ${Math.max(...seconds.ratio).toFixed(2)}; memory at most ${gateway.memory()?.peak ?? NaN} MB`,
    );
  } finally {
    await gateway.stop();
  }
} finally {
  postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
