import { ask } from './ask.ts';
import { element, type Child } from './element.ts';

/** What all jobs of the gateway have. */
export interface Job {
  id: string;
  state: string;
  progress: number;
}

/** Milliseconds between two looks at a job. */
const PAUSE = 1_000;

/** Looks at a job until it has ended, or until something else is shown: the job goes on all the same. */
export async function followJob<Row extends Job>(
  { id, query, signal }: { id: string; query: string; signal: AbortSignal },
  show: (job: Row) => void,
): Promise<void> {
  while (!signal.aborted) {
    const { node } = await ask<{ node: Row | null }>(query, { id }, signal);
    if (!node) return;
    show(node);
    if (node.state !== 'QUEUED' && node.state !== 'RUNNING') return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** A bar with what is said of a job; `succeeded` is for one that has. */
export function jobBar({ state, progress }: Job, label: string, succeeded: string): Child {
  const texts = new Map([
    ['QUEUED', 'Waiting'],
    ['RUNNING', `${Math.floor(100 * progress)} %`],
    ['SUCCEEDED', succeeded],
    ['FAILED', 'Failed'],
    ['CANCELLED', 'Cancelled'],
  ]);
  return [
    element('progress', { max: 1, value: progress, 'aria-label': label }),
    element('p', { role: 'status' }, texts.get(state)),
  ];
}

/** Runs the work of a form: its button is disabled meanwhile, and what goes wrong is told in place of the job. */
export async function workFor(
  { button, job, signal }: { button: HTMLButtonElement; job: HTMLElement; signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) job.replaceChildren(element('p', { class: 'fault', role: 'alert' }, text));
  } finally {
    button.disabled = false;
  }
}
