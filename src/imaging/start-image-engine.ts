import { extname } from 'node:path';
import { UnusableImageError, type ImageEngine, type InspectedImage } from '../core/imaging.ts';
import { limitParallel } from '../core/limit.ts';
import type { ImageReaderOptions } from './create-image-reader.ts';
import { ImageProcess, ProcessLostError, type ImageJob } from './image-process.ts';

/** A process without jobs ends after this time, in milliseconds, and gives its memory back. */
const IDLE = 60_000;

const PROGRAM = new URL(`./read-images${extname(import.meta.url)}`, import.meta.url);

/**
 * Reads images in a process of its own, which starts with the first: requests and the database come first where cores are scarce, and an image that ends its decoder, or takes all the
 * memory, ends nothing else. What it was doing is done again, image by image, each in a process to itself: one that ends that too is refused as INVALID_IMAGE.
 * `onLost` hears of each image that was being read when its process ended.
 */
export function startImageEngine(options: ImageReaderOptions, { program = PROGRAM, onLost }: { program?: URL; onLost?: (error: Error) => void } = {}): ImageEngine {
  let shared: ImageProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const alone = limitParallel(1);
  const current = (): ImageProcess => {
    if (closed) throw new Error('the image engine is closed');
    return shared && !shared.ended ? shared : (shared = new ImageProcess(program, options));
  };
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (shared?.idle) void shared.end();
    }, IDLE).unref();
  };
  const runAlone = async (task: ImageJob['task'], path: string): Promise<unknown> => {
    const own = new ImageProcess(program, options);
    try {
      return await own.run(task, path);
    } catch (error) {
      if (error instanceof ProcessLostError) onLost?.(error);
      throw error instanceof ProcessLostError ? new UnusableImageError('INVALID_IMAGE', 'the image ends its decoder', { cause: error }) : error;
    } finally {
      await own.end();
    }
  };
  const run = async (task: ImageJob['task'], path: string): Promise<unknown> => {
    try {
      return await current().run(task, path);
    } catch (error) {
      if (!(error instanceof ProcessLostError) || closed) throw error;
      onLost?.(error);
      return await alone(() => runAlone(task, path));
    } finally {
      rest();
    }
  };
  return {
    inspect: async (path) => (await run('inspect', path)) as InspectedImage,
    // What ends a decoder was taken for an image.
    isImage: async (path) => (await run('isImage', path).catch((error: unknown) => error instanceof UnusableImageError || Promise.reject(error as Error))) as boolean,
    async close() {
      closed = true;
      clearTimeout(timer);
      await shared?.end();
    },
  };
}
