import type * as z from 'zod';
import type { Services } from '../../core/context/context.ts';
import type { Signal } from '../../core/signal.ts';

/** Files of a job, named as they are in the data folder. */
export interface JobFiles {
  /** What the command lends. */
  lent?: readonly string[];
  /** What the command takes away. */
  made?: readonly string[];
}

/** Work of a command that a running gateway can do for it; its result is plain JSON. */
export interface ControlJob<A, R> {
  args: z.ZodType<A>;
  run(services: Services, args: A, signal: Signal, onProgress: (done: number) => void): Promise<R>;
  files(args: A): JobFiles;
}

/** Declares a job. */
export const job = <A, R>(
  args: z.ZodType<A>,
  run: ControlJob<A, R>['run'],
  files: ControlJob<A, R>['files'] = () => ({}),
): ControlJob<A, R> => ({ args, run, files });
