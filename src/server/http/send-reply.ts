import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { releaseBuffer } from '../../core/json/json.ts';
import type { Reply } from '../../core/rest/route.ts';

/**
 * Cuts off a reply whose reader has taken nothing for this long (milliseconds) while data is waiting, to free its
 * memory.
 */
export function cutStalled(response: ServerResponse, stallMs: number): void {
  const stopWatching = whenStalled(
    () => [response.socket?.bytesWritten ?? 0, response.writableLength],
    stallMs,
    () => void response.destroy(),
  );
  response.once('close', stopWatching);
}

/**
 * Calls `stalled` once nothing has been taken for this long (milliseconds) while data is waiting; `state` tells the bytes
 * that were written, and those of them that wait. Returns what ends the watch.
 */
export function whenStalled(
  state: () => [written: number, waiting: number],
  stallMs: number,
  stalled: () => void,
): () => void {
  let [taken, since] = [0, performance.now()];
  const timer = setInterval(
    () => {
      const [written, waiting] = state();
      const now = written - waiting;
      if (now !== taken || waiting === 0) [taken, since] = [now, performance.now()];
      else if (performance.now() - since > stallMs) {
        clearInterval(timer);
        stalled();
      }
    },
    Math.min(5_000, stallMs / 2),
  ).unref();
  return () => clearInterval(timer);
}

/**
 * Reads the rest of what the client is still sending, at most 1 MiB and for a quarter of a second: closing with unread
 * bytes would reset the connection before the client has read the reply.
 */
function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = 1_048_576;
    const count = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, 250);
    if (request.destroyed) return done();
    request.on('data', count).once('end', done).once('close', done).resume();
  });
}

/**
 * Waits for the first bytes of a body, its end, or its reader's: a body that fails before can still be answered with
 * its error.
 */
function begun(body: Readable, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      body.off('readable', done).off('close', done).off('error', fail);
      response.off('close', done);
    };
    const done = (): void => {
      stop();
      resolve();
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    if (body.errored) return reject(body.errored);
    if (body.closed || response.closed) return resolve();
    body.once('readable', done).once('close', done).once('error', fail);
    response.once('close', done);
  });
}

/** Whether nothing of a body is still to come. */
function hasEnded({ complete, method }: IncomingMessage): boolean {
  return complete || method === 'GET' || method === 'HEAD';
}

/** Sends a reply with the headers that every reply has, unless one was already sent. */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
): Promise<void> {
  const { status, headers = {}, body } = reply;
  const streamed = typeof body !== 'string' && !Buffer.isBuffer(body);
  if (streamed && request.method !== 'HEAD') await begun(body, response);
  if (!response.headersSent && !response.destroyed && !hasEnded(request)) await drain(request);
  if (response.headersSent || response.destroyed) {
    if (streamed) body.destroy();
    return;
  }
  response.statusCode = status;
  if (headers['content-type'] === undefined)
    response.setHeader('content-type', 'application/json; charset=utf-8');
  if (headers['cache-control'] === undefined) response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers))
    // Replies may also depend on the origin.
    if (name === 'vary') response.appendHeader(name, value);
    else response.setHeader(name, value);
  response.setHeader('x-interface-version', '1.0.0');
  if (!hasEnded(request)) response.setHeader('connection', 'close');
  if (!streamed) {
    if (status !== 204 && status !== 304)
      response.setHeader('content-length', Buffer.byteLength(body));
    response.end(
      request.method === 'HEAD' ? undefined : body,
      () => typeof body !== 'string' && releaseBuffer(body),
    );
    return;
  }
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  await pipeline(body, response);
}
