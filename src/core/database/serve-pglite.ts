import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { sessionOf } from './pglite-session.ts';
import type { ThreadCall, ThreadReply } from './pglite-thread.ts';

// The thread of the embedded database: opens the folder, then answers one call after the other.

if (!parentPort) throw new Error('this is the program of a thread');
const port = parentPort;
const db = await PGlite.create({ dataDir: String(workerData) });
const session = sessionOf(db);

/** Pieces of an answer are sent together up to this size: each sending wakes the other thread. */
const SENT_TOGETHER = 65_536;

const reply = (message: ThreadReply): void =>
  port.postMessage(
    message,
    'bytes' in message ? message.bytes.map(({ buffer }) => buffer as ArrayBuffer) : [],
  );

async function run(call: ThreadCall): Promise<void> {
  if (call.kind === 'reset') return session.reset();
  if (call.kind === 'close') return session.close();
  let [bytes, size]: [Uint8Array[], number] = [[], 0];
  const send = (): void => {
    if (size > 0) reply({ bytes });
    [bytes, size] = [[], 0];
  };
  try {
    await session.answer(call.messages, (piece) => {
      bytes.push(piece);
      size += piece.length;
      if (size >= SENT_TOGETHER) send();
    });
  } finally {
    send();
  }
}

let work: Promise<void> = Promise.resolve();
port.on('message', (call: ThreadCall) => {
  work = work
    .then(() => run(call))
    .then(
      () => reply({ done: true }),
      (error: unknown) => reply({ failed: error instanceof Error ? error : Error(String(error)) }),
    )
    .then(() => {
      if (call.kind === 'close') port.close();
    });
});
reply({ done: true });
