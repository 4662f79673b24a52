import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { InProgress } from '../../core/in-progress.ts';
import { whenStalled } from '../http/send-reply.ts';
import { countSent, LARGE } from '../http/answers-sent.ts';

/** A client that does not answer the close frame within this time is cut off, in milliseconds. */
const CLOSE_WITHIN = 2_000;
/**
 * Interval of pings, which keep the connection open through proxies; a client that has not answered by the next one is
 * disconnected. In milliseconds.
 */
const PING_EVERY = 12_000;
/** Operations of one connection that are in progress at once; the others wait for their turn. */
const MOST_AT_ONCE = 10;
/** Once this many wait, nothing more is read. */
const MOST_WAITING = 100;
/** Once a client leaves this much untaken, nothing more is read or begun until it has taken all of it. In bytes. */
const MOST_UNTAKEN = 1_048_576;
/**
 * Close code for a client that was too slow, or that can't be identified now: it should come back (RFC 6455, registry
 * of close codes).
 */
export const TRY_AGAIN = 1013;

/** The open WebSockets: none gets more work than its client takes the results of. */
export class PacedSockets {
  readonly #sockets = new WeakMap<WebSocket, PacedSocket>();
  readonly #stallMs: number;

  /** A client that takes nothing for `stallMs` milliseconds is let go once it leaves too much. */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** Begins to pace a WebSocket that has just been opened over a connection. */
  add(socket: WebSocket, connection: Socket): void {
    this.#sockets.set(socket, new PacedSocket(socket, connection, this.#stallMs));
  }

  of(socket: WebSocket): PacedSocket {
    const paced = this.#sockets.get(socket);
    if (!paced) throw new Error('a WebSocket is used before it was opened');
    return paced;
  }
}

/** A WebSocket, what is in progress for it except its streams, and what waits for its turn. */
class PacedSocket {
  readonly #inProgress = new InProgress<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #stallMs: number;
  #stopWatching: (() => void) | undefined;
  #answered = true;
  #looksSoon = false;
  #closing = false;

  constructor(socket: WebSocket, connection: Socket, stallMs: number) {
    [this.#socket, this.#connection, this.#stallMs] = [socket, connection, stallMs];
    // What its client had not taken when the connection ended is no fault: graphql-ws would print a stack for each message.
    const send = socket.send.bind(socket) as (data: string, sent: () => void) => void;
    Object.assign(socket, {
      send: (data: string, sent: () => void) => {
        let taken = false;
        if (data.length > LARGE) countSent(data.length, () => taken);
        send(data, () => {
          taken = true;
          sent();
        });
      },
    });
    const look = (): void => this.#look();
    socket.on('message', look).on('ping', look);
    socket.on('pong', () => (this.#answered = true));
    const pings = setInterval(() => this.#ping(), PING_EVERY).unref();
    socket.once('close', () => {
      clearInterval(pings);
      this.#stopWatching?.();
      for (const begin of this.#waiting.splice(0)) begin();
    });
  }

  /** Notes work until it ends; returns it. */
  add<T>(work: Promise<T>): Promise<T> {
    const remove = this.#inProgress.add(work);
    const ended = (): void => {
      remove();
      if (this.#looksSoon) return;
      this.#looksSoon = true;
      // What ended may go on with more work, and its result is sent only now.
      setImmediate(() => {
        this.#looksSoon = false;
        this.#look();
      });
    };
    work.then(ended, ended);
    return work;
  }

  /** Begins work when its turn has come, or when the connection has closed. */
  inTurn<T>(begin: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.add(begin())));
      this.#look();
    });
  }

  /** Closes the connection once nothing is in progress and all results have been sent. What waits is not begun any more. */
  async close(code: number, reason: string): Promise<void> {
    this.#closing = true;
    while (this.#inProgress.size > 0) {
      await Promise.allSettled(this.#inProgress);
      await nextTurn();
    }
    this.#socket.close(code, reason);
    // To read the answer to the close frame.
    this.#socket.resume();
    setTimeout(() => this.#socket.terminate(), CLOSE_WITHIN).unref();
  }

  /** Begins what has its turn, and reads no further while the client leaves, or asks for, too much. */
  #look(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MOST_UNTAKEN) this.#watch();
    const isHeld = this.#stopWatching !== undefined;
    while (!isHeld && !this.#closing && this.#inProgress.size < MOST_AT_ONCE) {
      const begin = this.#waiting.shift();
      if (!begin) break;
      begin();
    }
    const isFull = isHeld || this.#waiting.length >= MOST_WAITING;
    if (isFull && !socket.isPaused) socket.pause();
    if (!isFull && socket.isPaused) {
      // Its answer may have waited unread.
      this.#answered = true;
      socket.resume();
    }
  }

  /** Until the client has taken everything; lets it go if it takes nothing. */
  #watch(): void {
    if (this.#stopWatching) return;
    const connection = this.#connection;
    const stop = whenStalled(
      () => [connection.bytesWritten, connection.writableLength],
      this.#stallMs,
      () => void this.close(TRY_AGAIN, 'Too slow'),
    );
    const taken = (): void => {
      this.#stopWatching?.();
      this.#look();
    };
    connection.once('drain', taken);
    this.#stopWatching = () => {
      stop();
      connection.off('drain', taken);
      this.#stopWatching = undefined;
    };
  }

  #ping(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN || socket.isPaused) return;
    if (!this.#answered) return socket.terminate();
    this.#answered = false;
    socket.ping();
  }
}
