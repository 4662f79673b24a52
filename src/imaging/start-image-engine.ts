import { extname } from 'node:path';
import {
  UnusableImageError,
  type ImageEngine,
  type InspectedImage,
} from '../core/context/imaging.ts';
import { limitParallel } from '../core/limit.ts';
import { limitWaiting } from '../core/limit-waiting.ts';
import type { ImageReaderOptions } from './create-image-reader.ts';
import { ImageProcess, ProcessLostError, type ImageJob } from './image-process.ts';

/** A process without jobs ends after this time, in milliseconds, and gives its memory back. */
const IDLE = 60_000;

/** Images that wait at most, and how long, in milliseconds: whoever sent one waits too, and has its file on our disk. */
const WAITING = 500;
const WAIT = 30_000;

const PROGRAM = new URL(`./read-images${extname(import.meta.url)}`, import.meta.url);

/**
 * Reads images in a process of its own, which starts with the first: requests and the database come first where cores are scarce, and an image that ends its decoder, or takes too much
 * memory, ends nothing else where the system lets it be so. What was being read with it is read again, image by image, each in a process to itself: one that ends that too is refused as
 * INVALID_IMAGE. One whose turn does not come in time is given up with BusyError. `onLost` hears of each image that was being read when its process ended.
 */
export function startImageEngine(
  options: ImageReaderOptions,
  {
    program = PROGRAM,
    onLost,
    waitMs = WAIT,
  }: { program?: URL; onLost?: (error: Error) => void; waitMs?: number } = {},
): ImageEngine {
  const living = new Set<ImageProcess>();
  let shared: ImageProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  // As many as it works on: where it ends, those that still wait were not in it.
  const together = limitWaiting({ parallel: 2 * options.parallel, waiting: WAITING, waitMs });
  const alone = limitParallel(1);
  /** The reader has a limit of its own for what it decodes; this is for decoders that never look at it, and for one that waits behind another. */
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
  const run = async (task: ImageJob['task'], path: string): Promise<unknown> => {
    try {
      return await together(() => inShared(task, path));
    } catch (error) {
      noteLoss(error);
    } finally {
      rest();
    }
    try {
      return await alone(() => inItsOwn(task, path));
    } catch (error) {
      noteLoss(error);
      throw new UnusableImageError('INVALID_IMAGE', 'the image ends its decoder', { cause: error });
    }
  };
  return {
    inspect: async (path) => (await run('inspect', path)) as InspectedImage,
    // What ends a decoder was taken for an image.
    isImage: async (path) =>
      (await run('isImage', path).catch(
        (error: unknown) => error instanceof UnusableImageError || Promise.reject(error as Error),
      )) as boolean,
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.all([...living].map(end));
    },
  };
}
