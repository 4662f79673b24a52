import {
  UnusableImageError,
  type ImageEngine,
  type InspectedImage,
} from '../core/context/imaging.ts';
import { ownProgram, type OwnProgram } from '../core/own-program.ts';
import { limitParallel } from '../core/turns/limit.ts';
import { limitWaiting } from '../core/turns/limit-waiting.ts';
import type { ImageReaderOptions } from './create-image-reader.ts';
import { ImageProcess, ProcessLostError } from './image-process.ts';
import type { ImageJob } from './image-messages.ts';

/** A process without jobs ends after this time, in milliseconds, to give its memory back. */
const IDLE = 60_000;

/**
 * Most images that wait, and for how long, in milliseconds: their senders wait too, and their files take space on our
 * disk.
 */
const WAITING = 500;
const WAIT = 30_000;

/**
 * Reads images in a separate process, which starts with the first image. Requests and the database get the processor
 * first, and an image that crashes its decoder or takes too much memory affects nothing else, as far as the system
 * allows. When the process crashes, the images that it was reading are read again, one by one, each in a process of its
 * own; one that crashes that too is refused as INVALID_IMAGE. Users take turns, so that nobody waits for all images of
 * another one. An image that waits too long fails with BusyError.
 * `onLost` is called for each image that was being read when its process ended.
 */
export function startImageEngine(
  options: ImageReaderOptions,
  {
    program = ownProgram('read-images'),
    onLost,
    waitMs = WAIT,
  }: { program?: OwnProgram; onLost?: (error: Error) => void; waitMs?: number } = {},
): ImageEngine {
  const living = new Set<ImageProcess>();
  let shared: ImageProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  // As many as it works on, so that an image that still waits is never blamed when the process ends.
  const together = limitWaiting({ parallel: 2 * options.parallel, waiting: WAITING, waitMs });
  const alone = limitParallel(1);
  /**
   * The reader itself limits the time of decoding; this covers decoders that never check it, and images that wait
   * behind another.
   */
  const within = 3_000 * options.timeoutSeconds;

  const start = (): ImageProcess => {
    if (closed) throw new Error('the image engine is closed');
    const process = new ImageProcess(program, options);
    living.add(process);
    return process;
  };
  const end = async (process: ImageProcess): Promise<void> => {
    await process.end().catch(() => undefined);
    living.delete(process);
  };
  const inShared = async (task: ImageJob['task'], path: string): Promise<unknown> => {
    const process = shared && !shared.ended ? shared : (shared = start());
    try {
      return await process.run(task, path, within);
    } finally {
      if (process.ended) living.delete(process);
    }
  };
  const inItsOwn = async (task: ImageJob['task'], path: string): Promise<unknown> => {
    const process = start();
    try {
      return await process.run(task, path, within);
    } finally {
      await end(process);
    }
  };
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (shared?.idle) void end(shared);
    }, IDLE).unref();
  };
  const noteLoss = (error: unknown): void => {
    if (!(error instanceof ProcessLostError) || closed) throw error;
    onLost?.(error);
  };
  const run = async (task: ImageJob['task'], path: string, userId?: number): Promise<unknown> => {
    try {
      return await together.run(() => inShared(task, path), userId);
    } catch (error) {
      noteLoss(error);
    } finally {
      rest();
    }
    try {
      return await alone(() => inItsOwn(task, path));
    } catch (error) {
      noteLoss(error);
      throw new UnusableImageError('INVALID_IMAGE', 'the image crashes the decoder', {
        cause: error,
      });
    }
  };
  return {
    inspect: async (path, userId) => (await run('inspect', path, userId)) as InspectedImage,
    // An image that crashes the decoder was recognised as an image.
    isImage: async (path, userId) =>
      (await run('isImage', path, userId).catch(
        (error: unknown) => error instanceof UnusableImageError || Promise.reject(error as Error),
      )) as boolean,
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.all([...living].map(end));
    },
  };
}
