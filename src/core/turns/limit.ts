import { limitWaiting, type Limit } from './limit-waiting.ts';

/** Lets at most `parallel` jobs run at once; the others wait in order, however long it takes. */
export const limitParallel = (parallel: number): Limit['run'] => limitWaiting({ parallel }).run;
