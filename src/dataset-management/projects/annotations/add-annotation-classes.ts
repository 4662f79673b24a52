import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Context } from '../../../core/context/context.ts';
import { ValidationError, type FieldProblem } from '../../../core/errors.ts';
import { isStorable } from '../../../core/text.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
import { listAnnotationClasses, type AnnotationClass } from './list-annotation-classes.ts';
import { requireProject } from '../load-project.ts';

const COLORS = [
  '#e6194b',
  '#3cb44b',
  '#4363d8',
  '#f58231',
  '#911eb4',
  '#008080',
  '#9a6324',
  '#800000',
  '#808000',
  '#000075',
];

/**
 * Adds classes to a project and recolours those that it has, by name; nothing is removed, so that no annotation loses its meaning.
 * GraphQL `addAnnotationClasses`. Throws ValidationError, NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function addAnnotationClasses(
  ctx: Context,
  args: {
    projectId: string;
    classes: readonly { name: string; color?: string | null | undefined }[];
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<AnnotationClass[]>> {
  const project = await requireProject(ctx, args.projectId, 'change');
  const problems = args.classes.flatMap(({ name, color }, index): FieldProblem[] => [
    ...(name.trim() === ''
      ? [
          {
            path: ['classes', String(index), 'name'],
            message: 'name is required',
            code: 'NAME_REQUIRED',
          },
        ]
      : []),
    ...([...name].length > 200 || !isStorable(name)
      ? [
          {
            path: ['classes', String(index), 'name'],
            message: 'name is too long',
            code: 'NAME_TOO_LONG',
          },
        ]
      : []),
    ...(color != null && !/^#[0-9a-f]{6}$/i.test(color)
      ? [
          {
            path: ['classes', String(index), 'color'],
            message: 'color must be #rrggbb',
            code: 'VALIDATION_ERROR',
          },
        ]
      : []),
  ]);
  if (problems.length > 0) throw new ValidationError(problems);
  const request = { projectId: project.id, classes: args.classes };
  const { replayed } = await createOnce(
    ctx,
    { operation: 'addAnnotationClasses', key: args.idempotencyKey, request },
    async (client) => {
      await writeClasses(client, project.id, args.classes);
      return project.id;
    },
  );
  return { created: await listAnnotationClasses(ctx, project.id), replayed };
}

/** Adds classes whose names were checked, and recolours those that are there. */
export async function writeClasses(
  client: ClientBase,
  projectId: string,
  classes: readonly { name: string; color?: string | null | undefined }[],
): Promise<void> {
  await client.query('SELECT FROM project WHERE id = $1 FOR UPDATE', [projectId]);
  for (const { name, color } of classes) {
    const { rows } = await client.query<{ next: number }>(
      'SELECT coalesce(max(position), 0) + 1 AS next FROM annotation_class WHERE project_id = $1',
      [projectId],
    );
    const position = rows[0]?.next ?? 1;
    await client.query(
      `INSERT INTO annotation_class AS c (id, project_id, name, color, position) VALUES ($1, $2, $3, coalesce($4, $6), $5)
       ON CONFLICT (project_id, name) DO UPDATE SET color = coalesce($4, c.color)`,
      [
        randomUUID(),
        projectId,
        name.trim(),
        color?.toLowerCase() ?? null,
        position,
        COLORS[(position - 1) % COLORS.length],
      ],
    );
  }
}
