import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownProgram } from '../own-program.ts';
import { makePrivateFolder, makePrivateTree, restrict } from '../files/private-folder.ts';
import { LOCK } from './folder-lock.ts';
import { refuseOtherOwner } from './folder-owner.ts';
import { InterruptedRestoreError, RESTORED, RESTORING } from './restored-folder.ts';
import { findTemplate } from './template.ts';
import type { EmbeddedSession, TakeBytes } from './pglite-session.ts';

/** What the thread opens; a new folder is made from the template, if there is one. */
export interface OpenedFolder {
  folder: string;
  template: string | undefined;
  /** It came from a backup, and was not opened since. */
  isRestored: boolean;
}

/** Memory that can be transferred to another thread. */
export type Own = Uint8Array<ArrayBuffer>;

/** Calls to the thread, which handles them one after the other. */
export type ThreadCall = { kind: 'answer'; messages: Own } | { kind: 'reset' } | { kind: 'close' };

/**
 * Messages of the thread: a part of the answer, its last part (possibly empty), or why the call failed. Opening the
 * folder ends like a call.
 */
export type ThreadReply = { bytes: Uint8Array } | { last: Uint8Array } | { failed: Error };

/**
 * Opens the embedded database of a folder in a separate thread, so that a long statement delays only other requests for
 * the database.
 */
async function openInThread(opened: OpenedFolder): Promise<EmbeddedSession> {
  const { file, args } = ownProgram('serve-pglite');
  const worker = new Worker(file, { argv: [...args], workerData: opened });
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
    // A failing statement is an ordinary answer. This is a failure of the database itself, whose state is then unknown.
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
    if (!lost) worker.postMessage(call, call.kind === 'answer' ? [call.messages.buffer] : []);
    return answer;
  };
  await ended();
  return {
    // Copied, because messages share their memory with whatever else was written.
    answer: (messages, take) => ask({ kind: 'answer', messages: new Uint8Array(messages) }, take),
    reset: () => ask({ kind: 'reset' }),
    async close() {
      closing = true;
      await ask({ kind: 'close' });
      await worker.terminate();
    },
    abandon(error) {
      end(error);
      void worker.terminate();
    },
    lost: whenLost,
  };
}

interface Call {
  take: TakeBytes;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Opens the PGlite folder inside the data folder. If its first start was interrupted, it is created again: it never
 * held a row. PGlite makes the folder readable to everybody, whatever the umask, so this is corrected. The folder is
 * locked. Throws InterruptedRestoreError, OtherOwnerError.
 */
export async function openFolder(dataDir: string): Promise<EmbeddedSession> {
  const folder = join(dataDir, 'pg');
  const complete = join(dataDir, 'pg.complete');
  const isNew = !existsSync(complete);
  const restoring = join(dataDir, RESTORING);
  if (isNew && existsSync(restoring))
    throw new InterruptedRestoreError(
      `a restore into ${dataDir} was interrupted; run \`trivium restore\` again, or remove ${restoring} to start with an empty database`,
    );
  if (!isNew) refuseOtherOwner(dataDir, { kept: complete, own: join(dataDir, LOCK) });
  // A restore that was killed after its last step.
  rmSync(restoring, { recursive: true, force: true });
  if (isNew) rmSync(folder, { recursive: true, force: true });
  makePrivateFolder(folder);
  const session = await openInThread({
    folder,
    template: isNew ? await findTemplate() : undefined,
    isRestored: !isNew && readFileSync(complete, 'utf8') === RESTORED,
  }).catch((error: unknown) => {
    throw hasNoRoom(folder) ? Object.assign(new Error('ENOSPC', { cause: error }), NO_ROOM) : error;
  });
  makePrivateTree(folder);
  writeFileSync(complete, '');
  restrict(complete, 0o600);
  return session;
}

const NO_ROOM = { code: 'ENOSPC' };

/** Whether there is no space for one more file of PostgreSQL's log: then PGlite does not open, and does not say why. */
function hasNoRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 16 * 1024 * 1024;
}
