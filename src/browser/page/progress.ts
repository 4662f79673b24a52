import { element, shape } from './element.ts';
import type { ProjectRow } from './documents.ts';

/** States of the work on an image, and what readers call them. */
export const STATES = [
  ['NONE', 'not annotated'],
  ['ANNOTATED', 'annotated'],
  ['ACCEPTED', 'accepted'],
  ['REJECTED', 'rejected'],
] as const;

/** What readers call a state. */
export function stateName(state: string): string {
  return STATES.find(([one]) => one === state)?.[1] ?? state;
}

/** A bar with the share of each state of a project's images, and the numbers as text. */
export function progressBar({ name: project, progress }: ProjectRow): HTMLElement {
  const { total, none, annotated, accepted, rejected } = progress;
  const parts = [
    ['accepted', accepted],
    ['annotated', annotated],
    ['rejected', rejected],
  ] as const;
  const done = total - none;
  const text = `${project}: ${done} of ${total} images done, ${parts.map(([name, count]) => `${count} ${name}`).join(', ')}`;
  let left = 0;
  return element(
    'div',
    { class: 'progress' },
    shape(
      'svg',
      { viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      shape('rect', { class: 'all', width: 100, height: 4 }),
      parts.map(([name, count]) => {
        const width = total === 0 ? 0 : (100 * count) / total;
        const part = shape('rect', { class: name, x: left, width, height: 4 });
        left += width;
        return part;
      }),
    ),
    element('p', { class: 'hint' }, text),
  );
}
