import * as z from 'zod';

/** A task title that people choose from. */
export interface TaskTemplate {
  id: string;
  title: string;
}

/** The result for each title, in the order of the input; the body of REST replies. */
export const templateResults = z.array(
  z.object({ id: z.string(), title: z.string(), created: z.boolean() }),
);

export type TemplateResult = z.infer<typeof templateResults>[number];
