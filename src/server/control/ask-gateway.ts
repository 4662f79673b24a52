import { lstatSync } from 'node:fs';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { AppError, isLegacyCode } from '../../core/errors.ts';
import { packageVersion } from '../../core/package-version.ts';
import type { JobArgs, JobName, JobResult } from './control-jobs.ts';
import { controlFile, withSocketPath } from './control-path.ts';

/** The running gateway could not do what a command asked of it. */
export class GatewayFailedError extends Error {
  override name = 'GatewayFailedError';
}

/**
 * Lets the gateway that runs on a data folder do a job; undefined when none runs there. Throws AppError where the
 * operation refuses, and GatewayFailedError.
 */
export async function askGateway<N extends JobName>(
  dataDir: string,
  name: N,
  args: JobArgs<N>,
): Promise<{ result: JobResult<N> } | undefined> {
  const owner = lstatSync(controlFile(dataDir), { throwIfNoEntry: false })?.uid;
  const me = process.getuid?.();
  if (owner === undefined) return undefined;
  if (me !== 0 && owner !== me)
    throw new GatewayFailedError(`${controlFile(dataDir)} belongs to another user`);
  const answer = await withSocketPath(dataDir, (path) =>
    path === undefined ? Promise.resolve(undefined) : send(path, name, args),
  );
  if (!answer) return undefined;
  const body = answer.body as { result: JobResult<N>; code?: string; message?: string };
  if (answer.status === 200) return body;
  const { code, message = 'no answer' } = body;
  if (code !== undefined && isLegacyCode(code)) throw new AppError(code, { message });
  throw new GatewayFailedError(
    answer.status === 404
      ? 'the running gateway is of another version: restart it, or stop it'
      : `the running gateway could not do it: ${message}`,
  );
}

/** Undefined when nobody listens. */
function send(
  socketPath: string,
  name: string,
  args: unknown,
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
        void json(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body }),
          fail,
        ),
    )
      .on('error', fail)
      .end(JSON.stringify(args));
  });
}
