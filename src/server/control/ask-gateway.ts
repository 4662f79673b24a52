import { lstatSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { AppError, isLegacyCode } from '../../core/errors.ts';
import { packageVersion } from '../../core/package-version.ts';
import type { JobArgs, JobName, JobResult } from './control-jobs.ts';
import { RefusedFileError } from './refused-file-error.ts';
import { controlFile, withSocketPath } from './control-path.ts';

/** The running gateway could not do what a command asked of it. */
export class GatewayFailedError extends Error {
  override name = 'GatewayFailedError';
}

/**
 * Lets the gateway that runs on a data folder do a job; undefined when none runs there. Throws AppError where the
 * operation refuses, RefusedFileError, and GatewayFailedError.
 */
export async function askGateway<N extends JobName>(
  dataDir: string,
  name: N,
  args: JobArgs<N>,
  onProgress: (done: number) => void = () => undefined,
): Promise<{ result: JobResult<N> } | undefined> {
  const owner = lstatSync(controlFile(dataDir), { throwIfNoEntry: false })?.uid;
  const me = process.getuid?.();
  if (owner === undefined) return undefined;
  if (me !== 0 && owner !== me)
    throw new GatewayFailedError(`${controlFile(dataDir)} belongs to another user`);
  const answer = await withSocketPath(dataDir, (path) =>
    path === undefined ? Promise.resolve(undefined) : send(path, name, args, onProgress),
  );
  if (!answer) return undefined;
  if (answer.status === 200) return answer.body as { result: JobResult<N> };
  const { code, message = 'no answer', problems, total } = answer.body as Failed;
  if (problems && total !== undefined) throw new RefusedFileError(message, problems, total);
  if (code !== undefined && isLegacyCode(code)) throw new AppError(code, { message });
  throw new GatewayFailedError(
    answer.status === 404
      ? 'the running gateway is of another version: restart it, or stop it'
      : `the running gateway could not do it: ${message}`,
  );
}

interface Failed {
  code?: string;
  message?: string;
  problems?: unknown[];
  total?: number;
}

/** Undefined when nobody listens. */
function send(
  socketPath: string,
  name: string,
  args: unknown,
  onProgress: (done: number) => void,
): Promise<{ status: number; body: unknown } | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return resolve(undefined);
      reject(
        new GatewayFailedError(
          `the connection to the running gateway was lost (${error.code ?? error.message}): it stopped, or serves too many commands`,
        ),
      );
    };
    request(
      { socketPath, path: `/${packageVersion()}/${name}`, method: 'POST', agent: false },
      (response) =>
        void readAnswer(response, onProgress).then(
          (body) => resolve({ status: response.statusCode ?? 0, body, ...statusOf(body) }),
          fail,
        ),
    )
      .on('error', fail)
      .end(JSON.stringify(args));
  });
}

/** The last line; those before it tell the progress. */
async function readAnswer(
  answer: Readable,
  onProgress: (done: number) => void,
): Promise<Record<string, unknown>> {
  let last: Record<string, unknown> | undefined;
  for await (const line of createInterface({ input: answer })) {
    last = JSON.parse(line) as Record<string, unknown>;
    if (typeof last['progress'] === 'number') onProgress(last['progress']);
  }
  if (!last || 'progress' in last) throw new Error('the answer is not whole');
  return last;
}

function statusOf({ status }: Record<string, unknown>): { status?: number } {
  return typeof status === 'number' ? { status } : {};
}
