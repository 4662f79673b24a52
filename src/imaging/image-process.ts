import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { UnusableImageError } from '../core/context/imaging.ts';
import type { OwnProgram } from '../core/own-program.ts';
import type { ImageReaderOptions } from './create-image-reader.ts';
import { forkImageProgram } from './fork-image-program.ts';
import { type ImageJob, type ImageReply, isReply } from './image-messages.ts';

/** How long the process may take to start, in milliseconds. */
const START = 60_000;

/** The process ended before it answered. */
export class ProcessLostError extends Error {
  override name = 'ProcessLostError';
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * A process that only reads images, at a low priority. It keeps the gateway's process alive only while it has a job.
 */
export class ImageProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  #ready = false;
  readonly #begun: Promise<void>;
  #begin: () => void = () => undefined;
  /** Set when it takes no more jobs. */
  ended = false;

  constructor(program: OwnProgram, options: ImageReaderOptions) {
    this.#begun = new Promise((resolve) => (this.#begin = resolve));
    this.#child = forkImageProgram(program, options);
    this.#child.on('message', (reply: unknown) => isReply(reply) && this.#take(reply));
    this.#child.on('error', (error) => this.#lose(error));
    this.#child.once('exit', (code, signal) =>
      this.#lose(new ProcessLostError(`the process that reads images ended (${signal ?? code})`)),
    );
    this.#hold();
  }

  get idle(): boolean {
    return this.#pending.size === 0;
  }

  /**
   * Throws UnusableImageError, or ProcessLostError when the process ends, or is killed because the job takes longer
   * than `within` milliseconds (not counting the start of the process, which has its own time).
   */
  async run(task: ImageJob['task'], path: string, within: number): Promise<unknown> {
    const endAfter = (ms: number): NodeJS.Timeout =>
      setTimeout(() => void this.end().catch(() => undefined), ms);
    let timer = endAfter(START);
    let answered = false;
    void this.#begun.then(() => {
      clearTimeout(timer);
      if (!answered) timer = endAfter(within);
    });
    try {
      return await this.#ask(task, path);
    } finally {
      answered = true;
      clearTimeout(timer);
    }
  }

  #ask(task: ImageJob['task'], path: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#count++;
      this.#pending.set(id, { resolve, reject });
      this.#hold();
      this.#child.send(
        { id, task, path } satisfies ImageJob,
        (error) =>
          error &&
          this.#lose(
            new ProcessLostError('the process that reads images does not listen', { cause: error }),
          ),
      );
    });
  }

  /** Ends the process, even in the middle of a job. */
  async end(): Promise<void> {
    this.ended = true;
    if (
      this.#child.exitCode !== null ||
      this.#child.signalCode !== null ||
      this.#child.pid === undefined
    )
      return;
    const exit = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await exit;
  }

  #take(reply: ImageReply): void {
    if (reply === 'ready') {
      this.#ready = true;
      this.#begin();
      return;
    }
    const job = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    this.#hold();
    if ('value' in reply) job?.resolve(reply.value);
    else
      job?.reject(
        'refused' in reply
          ? new UnusableImageError(reply.refused.code, reply.refused.message)
          : new Error(reply.failed),
      );
  }

  #lose(error: Error): void {
    this.ended = true;
    const jobs = [...this.#pending.values()];
    this.#pending.clear();
    this.#hold();
    const reason = this.#ready
      ? error
      : new Error('the process that reads images does not start', { cause: error });
    for (const { reject } of jobs) reject(reason);
  }

  /** Idle processes must not keep the gateway's own process alive. */
  #hold(): void {
    const act = this.idle ? 'unref' : 'ref';
    this.#child[act]();
    this.#child.channel?.[act]();
  }
}
