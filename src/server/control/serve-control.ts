import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedDomainFileError } from '../../cells/archive/domain-file.ts';
import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { packageVersion } from '../../core/package-version.ts';
import { readBytes } from '../http/read-body.ts';
import { ImportError } from '../../import/import-error.ts';
import { isJobName, readArgs, runJob } from './control-jobs.ts';
import { controlFile, withSocketPath } from './control-path.ts';
import { removeLent } from './lend-file.ts';

/** Commands that are served at a time; the connection of a further one is closed. */
const MAX_COMMANDS = 8;
/** Time to send a request, in milliseconds; its work may take as long as it needs. */
const REQUEST = 5_000;
/** Longest wait for work in progress when closing, in milliseconds. */
const DRAIN = 3_000;
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
  const server = createServer(
    { maxHeaderSize: 4_096, headersTimeout: REQUEST, requestTimeout: REQUEST },
    (request, response) => {
      const work = serve(services, request, response, stop.signal).finally(() =>
        running.delete(work),
      );
      running.add(work);
    },
  );
  server.maxConnections = MAX_COMMANDS;
  const file = controlFile(dataDir);
  rmSync(file, { force: true });
  removeLent(dataDir);
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
      server.close();
      await Promise.race([Promise.all(running), sleep(DRAIN, undefined, { ref: false })]);
      server.closeAllConnections();
      rmSync(file, { force: true });
    },
  };
}

/**
 * Answers `POST /<version>/<job>` with the job's result, or with why there is none. A job that reports progress is
 * answered by lines: `{"progress": 5}` any number of times, then what the answer would have been, with its status.
 */
async function serve(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  stop: AbortSignal,
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
    const result = await runJob(name, args, { services, signal, onProgress });
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
