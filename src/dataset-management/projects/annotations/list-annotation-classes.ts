import type { Context } from '../../../core/context/context.ts';

/** What annotations of a project name; a COCO category, whose id is the position. */
export interface AnnotationClass {
  id: string;
  name: string;
  /** #rrggbb. */
  color: string;
  /** From 1. */
  position: number;
}

/** The classes of a project that the viewer has been given, by position. GraphQL `Project.classes`. */
export async function listAnnotationClasses(
  ctx: Context,
  projectId: string,
): Promise<AnnotationClass[]> {
  const rows = await ctx.db.rows(
    'SELECT id, name, color, position FROM annotation_class WHERE project_id = $1 ORDER BY position',
    [projectId],
  );
  return rows.map(([id, name, color, position]) => ({
    id: id ?? '',
    name: name ?? '',
    color: color ?? '',
    position: Number(position),
  }));
}
