import { setImmediate } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { InProgress } from '../../core/in-progress.ts';

/** A client that does not answer the close frame within this time is cut off, in milliseconds. */
const CLOSE_WITHIN = 2_000;

/** What is in progress for each WebSocket, except its streams. */
export class WorkOfSockets {
  readonly #work = new WeakMap<WebSocket, InProgress<Promise<unknown>>>();

  /** Notes work until it ends; returns it. */
  add<T>(socket: WebSocket, work: Promise<T>): Promise<T> {
    let all = this.#work.get(socket);
    if (!all) this.#work.set(socket, (all = new InProgress()));
    const ended = all.add(work);
    work.then(ended, ended);
    return work;
  }

  /** Closes a connection once nothing is in progress and all results have been sent. */
  async close(socket: WebSocket, code: number, reason: string): Promise<void> {
    await this.#done(socket);
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_WITHIN).unref();
  }

  async #done(socket: WebSocket): Promise<void> {
    const all = this.#work.get(socket);
    while (all && all.size > 0) {
      await Promise.allSettled(all);
      await setImmediate();
    }
  }
}
