import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedDomainFileError } from '../../cells/archive/domain-file.ts';
import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { packageVersion } from '../../core/package-version.ts';
import { readBytes } from '../http/read-body.ts';
import { ImportError } from '../../import/import-error.ts';
import { filesOf, isJobName, readArgs, runJob } from './control-jobs.ts';
import { controlFile, withSocketPath } from './control-path.ts';
import { removeLent } from './lend-file.ts';

/** Commands that are served at a time; the connection of a further one is closed. */
const MAX_COMMANDS = 8;
/** Time to send a request, in milliseconds; its work may take as long as it needs. */
const REQUEST = 5_000;
/** Longest wait for work in progress when closing, in milliseconds. */
const DRAIN = 3_000;
/** Time between two looks for what killed commands left, in milliseconds. */
const TIDY = 60_000;
/** Least time between two reports of progress, in milliseconds. */
const REPORT = 100;

/**
 * Serves commands of the same user on a socket in the data folder, because only one process at a time may open an
 * embedded database. Must hold the lock of the folder: a socket that is there belongs to a dead process.
 */
export async function serveControl(
  services: Services,
  dataDir: string,
): Promise<{ close(): Promise<void> }> {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const used = new Set<string>();
  const server = createServer(
    { maxHeaderSize: 4_096, headersTimeout: REQUEST, requestTimeout: REQUEST },
    (request, response) => {
      const given = { services, dataDir, used, stop: stop.signal };
      const work = serve(given, request, response).finally(() => running.delete(work));
      running.add(work);
    },
  );
  server.maxConnections = MAX_COMMANDS;
  const file = controlFile(dataDir);
  rmSync(file, { force: true });
  const tidy = (): void => {
    try {
      removeLent(dataDir, used);
    } catch (error) {
      services.log.warn({ err: error }, 'what commands left in the data folder was not removed');
    }
  };
  tidy();
  const tidying = setInterval(tidy, TIDY).unref();
  await withSocketPath(dataDir, async (path) => {
    if (path === undefined) throw new Error('the path of DATA_DIR is too long for a socket');
    server.listen(path);
    await once(server, 'listening');
    // The folder is private already, unless another user made it.
    chmodSync(file, 0o600);
  }).catch((error: unknown) =>
    services.log.warn({ err: error }, 'no commands beside this gateway: its socket does not open'),
  );
  return {
    async close() {
      stop.abort(new Error('the gateway was stopped'));
      clearInterval(tidying);
      server.close();
      await Promise.race([Promise.all(running), sleep(DRAIN, undefined, { ref: false })]);
      server.closeAllConnections();
      tidy();
      rmSync(file, { force: true });
    },
  };
}

interface Given {
  services: Services;
  dataDir: string;
  /** Names of files in the data folder that jobs use. */
  used: Set<string>;
  stop: AbortSignal;
}

/**
 * Answers `POST /<version>/<job>` with the job's result, or with why there is none. A job that reports progress is
 * answered by lines: `{"progress": 5}` any number of times, then what the answer would have been, with its status.
 */
async function serve(
  { services, dataDir, used, stop }: Given,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (status: number, body: object): void =>
    response.headersSent
      ? void response.end(JSON.stringify({ status, ...body }))
      : void response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
  let reported = performance.now();
  const onProgress = (progress: number): void => {
    if (performance.now() - reported < REPORT) return;
    reported = performance.now();
    if (!response.headersSent) response.writeHead(200, { connection: 'close' });
    response.write(`${JSON.stringify({ progress })}\n`);
  };
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the command has gone')));
  try {
    const [, version, name = ''] = request.url?.split('/') ?? [];
    if (request.method !== 'POST' || version !== packageVersion() || !isJobName(name))
      return reply(404, { message: 'unknown command' });
    const args = readArgs(name, String(await readBytes(request)));
    if (!args) return reply(400, { message: 'unknown arguments' });
    const signal = AbortSignal.any([stop, gone.signal]);
    const { lent = [], made = [] } = filesOf(name, args);
    for (const file of [...lent, ...made]) used.add(file);
    const result = await runJob(name, args, { services, signal, onProgress }).finally(async () => {
      // A command that was killed removes nothing, and takes nothing away. What can't be removed now, is later.
      for (const file of gone.signal.aborted ? [...lent, ...made] : lent)
        await rm(join(dataDir, file), { force: true }).catch(() => undefined);
      for (const file of [...lent, ...made]) used.delete(file);
    });
    services.log.info({ command: name }, 'command');
    reply(200, { result });
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: String(error) };
    if (error instanceof ImportError) {
      const { problems, total } = error;
      return reply(422, { message, problems, total });
    }
    if (error instanceof DamagedDomainFileError)
      return reply(422, { message, problems: [message], total: 1 });
    if (error instanceof AppError && error.status < 500)
      return reply(422, { code: error.code, message });
    if (!stop.aborted && !gone.signal.aborted) services.log.error({ err: error }, 'command failed');
    reply(500, { message });
  }
}
