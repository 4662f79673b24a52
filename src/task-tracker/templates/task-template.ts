import { z } from 'zod';
import type { Cell } from '../../core/wire/wire.ts';

/** A task title that people choose from. */
export interface TaskTemplate {
  id: string;
  title: string;
}

/** What became of each title, in the order sent; the body of REST replies. */
export const templateResults = z.array(
  z.object({ id: z.string(), title: z.string(), created: z.boolean() }),
);

export type TemplateResult = z.infer<typeof templateResults>[number];

/** Over `p` (task_template); for templateFromCells. */
export const TEMPLATE_COLUMNS = 'p.id, p.title';

export function templateFromCells([id, title]: readonly Cell[]): TaskTemplate {
  return { id: id ?? '', title: title ?? '' };
}
