import type { z } from 'zod';
import type { Services } from '../../core/context/context.ts';
import type { Signal } from '../../core/signal.ts';

/** Work of a command that a running gateway can do for it; its result is plain JSON. */
export interface ControlJob<A, R> {
  args: z.ZodType<A>;
  run(services: Services, args: A, signal: Signal, onProgress: (done: number) => void): Promise<R>;
}

/** Declares a job. */
export const job = <A, R>(args: z.ZodType<A>, run: ControlJob<A, R>['run']): ControlJob<A, R> => ({
  args,
  run,
});
