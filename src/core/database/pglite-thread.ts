import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { EmbeddedSession, TakeBytes } from './pglite-session.ts';

/** What the thread is asked to do; it does one after the other. */
export type ThreadCall =
  { kind: 'answer'; messages: Uint8Array[] } | { kind: 'reset' } | { kind: 'close' };

/** What it says: a part of the answer, the last part or none, or why the call failed. Opening the folder ends like a call. */
export type ThreadReply = { bytes: Uint8Array } | { last: Uint8Array } | { failed: Error };

const EXTENSION = extname(import.meta.url);
const PROGRAM = new URL(`./serve-pglite${EXTENSION}`, import.meta.url);

/** Opens the embedded database of a folder in a thread of its own: a statement that takes long keeps the requests for the database waiting, and nobody else. */
export async function openInThread(folder: string): Promise<EmbeddedSession> {
  const worker = startThread(folder);
  const waiting: Call[] = [];
  let lost: Error | undefined;
  let closing = false;
  let tell: (error: Error) => void = () => {};
  const whenLost = new Promise<Error>((resolve) => (tell = resolve));
  const end = (error: Error): void => {
    lost ??= error;
    for (const { reject } of waiting.splice(0)) reject(lost);
    if (!closing) tell(lost);
  };
  worker.on('message', (reply: ThreadReply) => {
    if ('bytes' in reply) return waiting[0]?.take(reply.bytes);
    // A statement that fails is an answer like another: this is the database itself, of which nobody knows what works.
    if ('failed' in reply) return end(reply.failed);
    const call = waiting.shift();
    if (reply.last.length > 0) call?.take(reply.last);
    call?.resolve();
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => end(new Error('the thread of the embedded database has ended')));
  const ended = (take: TakeBytes = () => {}): Promise<void> =>
    new Promise((resolve, reject) => {
      if (lost) return reject(lost);
      waiting.push({ take, resolve, reject });
    });
  const ask = (call: ThreadCall, take?: TakeBytes): Promise<void> => {
    const answer = ended(take);
    if (!lost)
      worker.postMessage(
        call,
        call.kind === 'answer' ? call.messages.map(({ buffer }) => buffer as ArrayBuffer) : [],
      );
    return answer;
  };
  await ended();
  return {
    // Copies: messages share their memory with what else was written.
    answer: (messages, take) =>
      ask({ kind: 'answer', messages: messages.map((message) => new Uint8Array(message)) }, take),
    reset: () => ask({ kind: 'reset' }),
    async close() {
      closing = true;
      await ask({ kind: 'close' });
      await worker.terminate();
    },
    lost: whenLost,
  };
}

interface Call {
  take: TakeBytes;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Node 20 hands the loader of TypeScript to no thread: from sources, the thread loads it itself. */
function startThread(workerData: string): Worker {
  if (EXTENSION !== '.ts') return new Worker(PROGRAM, { workerData });
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/cjs$/, 'mjs'),
  ).href;
  const program = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(PROGRAM.href)}); })`;
  return new Worker(program, { eval: true, workerData });
}
