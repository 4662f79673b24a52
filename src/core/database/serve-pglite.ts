import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { fileLimit } from '../files/file-limit.ts';
import { PLAN_SETTINGS } from '../sql/session-settings.ts';
import { sessionOf } from './pglite-session.ts';
import type { OpenedFolder, Own, ThreadCall, ThreadReply } from './pglite-thread.ts';
import { DOUBT_ITS_LOG, MAKE_ITS_OWN } from './template.ts';
import { unpackTemplate } from './unpack-template.ts';

// Main program of the embedded database's thread: opens the folder, then answers one call after the other.

if (!parentPort) throw new Error('this file runs as a worker thread only');
const port = parentPort;
const { folder, template, isRestored } = workerData as OpenedFolder;
if (template !== undefined) await unpackTemplate(template, folder);
const settings = [
  // By default 128 MB, which are never given back; the system caches the files as well.
  'shared_buffers=32MB',
  // By default 1,000. PostgreSQL closes some to open others, but not when connections and uploads have taken the rest.
  `max_files_per_process=${Math.max(64, Math.min(1_000, Math.floor(fileLimit() / 4)))}`,
  ...PLAN_SETTINGS,
];
const db = await PGlite.create({
  dataDir: folder,
  startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
});
if (template !== undefined) await db.exec(MAKE_ITS_OWN);
if (isRestored) await db.exec(DOUBT_ITS_LOG);
const session = sessionOf(db);

/** Parts of an answer are sent together up to this size: each message wakes the other thread. */
const SENT_TOGETHER = 65_536;

const NOTHING = new Uint8Array(0);

const reply = (message: ThreadReply, sent: Own = NOTHING): void =>
  port.postMessage(message, sent.length > 0 ? [sent.buffer] : []);

/** Returns the last part of the answer. */
async function run(call: ThreadCall): Promise<Own> {
  if (call.kind === 'reset') await session.reset();
  if (call.kind === 'close') await session.close();
  if (call.kind !== 'answer') return NOTHING;
  let [pieces, size]: [Uint8Array[], number] = [[], 0];
  // In its own memory, which is transferred instead of copied.
  const collected = (): Own => {
    const bytes = new Uint8Array(size);
    let end = 0;
    for (const piece of pieces) {
      bytes.set(piece, end);
      end += piece.length;
    }
    [pieces, size] = [[], 0];
    return bytes;
  };
  await session.answer(call.messages, (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < SENT_TOGETHER) return;
    const bytes = collected();
    reply({ bytes }, bytes);
  });
  return collected();
}

let work: Promise<void> = Promise.resolve();
port.on('message', (call: ThreadCall) => {
  work = work
    .then(() => run(call))
    .then(
      (last) => reply({ last }, last),
      (error: unknown) => reply({ failed: error instanceof Error ? error : Error(String(error)) }),
    )
    .then(() => {
      if (call.kind === 'close') port.close();
    });
});
reply({ last: NOTHING });
