// Memory of the gateway while large images are uploaded, all at once: node --import tsx bench/upload-memory.ts [uploads] [mebibytes] [--postgres]
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { startServer } from './server-process.ts';
import { startPostgres } from './support/own-postgres.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean', default: false } },
});
const [uploads, mebibytes] = [Number(positionals[0] ?? 20), Number(positionals[1] ?? 50)];
const BOUNDARY = 'bench';
const PIECE = 65_536;
/** After the last answer: what is not held any more has been given back by then. */
const REST_MS = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
const postgres = options.postgres ? await startPostgres() : undefined;
const env = {
  ...(postgres && { DATABASE_URL: postgres.url }),
  PORT: '0',
  DATA_DIR: folder,
  DEMO: 'true',
  LOG_LEVEL: 'warn',
  RATE_LIMIT: '0',
  NODE_ENV: 'production',
};

const start = (): ReturnType<typeof startServer> =>
  startServer(
    process.execPath,
    ['--import', 'tsx', 'src/main.ts'],
    env,
    fileURLToPath(new URL('..', import.meta.url)),
  );
// The first start loads the demo data: what that takes is not meant here.
await (await start()).stop();
const gateway = await start();
try {
  const url = `http://127.0.0.1:${gateway.port}`;
  const json = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${url}/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ login: 'leader', password: 'demo' }),
  });
  const { token } = (await signedIn.json()) as { token: string };
  const headers = { 'x-service-csrf-token-x': token };
  const create = async (path: string, body: object): Promise<string> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, ...json },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data: string }).data;
  };
  const workspaceId = await create('/api/Workspaces/create', { name: 'Bench' });
  const dataset = await create('/api/Datasets/create', {
    workspaceId,
    name: 'Bench',
    description: '',
  });
  const picture = await sharp({
    create: { width: 640, height: 480, channels: 3, background: 'gray' },
  })
    .jpeg()
    .toBuffer();

  const part = (name: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `${part('DatasetId', dataset)}${part('FileName', 'photo.jpg')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="Image"; filename="photo.jpg"\r\n\r\n`;
  /** A small JPEG, and behind its end so much that the file has the size that was asked for; never the same file twice. */
  const send = async (): Promise<string> => {
    const sent = request(`${url}/api/Images/addImage`, {
      method: 'POST',
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    const answered = once(sent, 'response');
    sent.write(head);
    sent.write(picture);
    for (let left = mebibytes * 1_048_576 - picture.length; left > 0; left -= PIECE)
      if (!sent.write(randomBytes(Math.min(PIECE, left)))) await once(sent, 'drain');
    sent.end(`\r\n--${BOUNDARY}--\r\n`);
    const [reply] = (await answered) as [IncomingMessage];
    let text = '';
    for await (const chunk of reply) text += String(chunk);
    return `${reply.statusCode} ${reply.statusCode === 200 ? '' : text}`.trim();
  };

  await send();
  const before = gateway.memory();
  const started = performance.now();
  const answers = await Promise.all(Array.from({ length: uploads }, send));
  const seconds = (performance.now() - started) / 1000;
  const peak = gateway.memory()?.peak;
  await pause(REST_MS);
  console.log(
    `${uploads} uploads of ${mebibytes} MiB at once in ${seconds.toFixed(1)} s, answers ${[...new Set(answers)].join(', ')}: memory ${before?.now} MB before, ${peak} at most (${before?.peak} before), ${gateway.memory()?.now} ${REST_MS / 1000} s after`,
  );
} finally {
  await gateway.stop();
  postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
