import { setImmediate } from 'node:timers/promises';
import type { WebSocket } from 'ws';

/** What is in progress for each WebSocket, except its streams. */
export class WorkOfSockets {
  readonly #work = new WeakMap<WebSocket, Set<Promise<unknown>>>();

  /** Notes work until it ends; returns it. */
  add<T>(socket: WebSocket, work: Promise<T>): Promise<T> {
    const all = this.#work.get(socket) ?? new Set();
    this.#work.set(socket, all.add(work));
    const remove = (): void => void all.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Resolves when nothing is in progress and all results have been sent. */
  async done(socket: WebSocket): Promise<void> {
    const all = this.#work.get(socket);
    while (all && all.size > 0) {
      await Promise.allSettled(all);
      await setImmediate();
    }
  }
}
