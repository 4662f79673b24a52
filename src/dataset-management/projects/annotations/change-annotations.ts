import { randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../../core/context/context.ts';
import type { FieldProblem } from '../../../core/errors.ts';
import type { DatasetImage } from '../../images/image.ts';
import { insertAnnotations, setReview, updateAnnotations } from '../projects.sql.ts';
import { changeWork, type WorkPlace } from './change-work.ts';
import {
  checkBytes,
  checkNumber,
  classIds,
  geometryProblems,
  problemAt,
} from './check-annotations.ts';
import type { AnnotationInput, AnnotationShape } from './geometry.ts';
import { requireProjectImage } from './load-project-image.ts';
import { toWritten } from './replace-annotations.ts';

export interface AnnotationChange {
  id: string;
  /** What is left out stays. */
  className?: string | undefined;
  shape?: AnnotationShape | undefined;
  geometry?: unknown;
  attributes?: unknown;
}

/**
 * Adds, changes and removes single annotations of an image in a project, all or nothing, and marks it as annotated; the
 * others stay as they are, with their authors. Every role may do this. GraphQL `changeAnnotations`. Throws
 * ValidationError, NotFoundError, ConflictError.
 */
export async function changeAnnotations(
  ctx: SignedInContext,
  args: WorkPlace & {
    add: readonly AnnotationInput[];
    change: readonly AnnotationChange[];
    remove: readonly string[];
  },
): Promise<DatasetImage> {
  const { add, change, remove } = args;
  const { project, image } = await requireProjectImage(ctx, args);
  checkNumber('add', add.length);
  checkNumber('change', change.length);
  checkNumber('remove', remove.length);
  const place = { projectId: project.id, imageId: image.id };
  const now = new Date(ctx.clock());
  const { userId } = ctx.viewer;
  return changeWork(ctx, args, async (tx) => {
    const { db } = tx;
    await checkBytes(db, place, { add, change });
    const stored = await db.prisma.annotation.findMany({ where: place });
    const byId = new Map(stored.map((row) => [row.id, row]));
    const problems = namingProblems(byId, { change, remove });
    const changed = change.map(({ id, className, shape, geometry, attributes }) => {
      const before = byId.get(id);
      const next = shape ?? (before?.shape as AnnotationShape | undefined) ?? 'CLASSIFICATION';
      const kept = next === 'CLASSIFICATION' ? null : before?.geometry;
      return {
        id,
        className,
        classId: before?.classId ?? '',
        shape: next,
        geometry: geometry === undefined ? kept : geometry,
        attributes: attributes === undefined ? before?.attributes : attributes,
      };
    });
    problems.push(...geometryProblems('add', add, image));
    if (problems.length === 0) problems.push(...geometryProblems('change', changed, image));
    const classes = await classIds(
      tx,
      project.id,
      [
        { field: 'add', classNames: add.map(({ className }) => className) },
        { field: 'change', classNames: change.map(({ className }) => className) },
      ],
      problems,
    );
    checkNumber('add', stored.length + add.length - remove.length);
    if (add.length + change.length + remove.length === 0) return;
    const idOf = (className: string): string => classes.get(className) ?? '';
    await db.prisma.annotation.deleteMany({ where: { ...place, id: { in: [...remove] } } });
    await updateAnnotations.rows(db, {
      ...place,
      annotations: changed.map(({ id, className, classId, ...input }) => {
        const class_id = className === undefined ? classId : idOf(className);
        return JSON.stringify({ id, class_id, ...toWritten(input) });
      }),
    });
    // Ascending ids keep the order in which they were given.
    const ids = add.map(() => randomUUID()).sort();
    await insertAnnotations.rows(db, {
      ...place,
      annotations: add.map((input, index) =>
        JSON.stringify({
          id: ids[index],
          class_id: idOf(input.className),
          ...toWritten(input),
        }),
      ),
      userId,
      now,
    });
    await setReview.rows(db, {
      ...place,
      state: 'ANNOTATED',
      userId,
      now,
      work: true,
      changed: true,
      stays: [],
    });
  });
}

/** What is wrong with the ids of annotations that are to be changed or removed. */
function namingProblems(
  known: ReadonlyMap<string, unknown>,
  { change, remove }: { change: readonly { id: string }[]; remove: readonly string[] },
): FieldProblem[] {
  const named = new Set<string>();
  const check = (path: (string | number)[], id: string): FieldProblem[] => {
    if (named.has(id)) return [problemAt(path, 'is named twice')];
    named.add(id);
    return known.has(id) ? [] : [problemAt(path, 'the image has no such annotation')];
  };
  return [
    ...change.flatMap(({ id }, index) => check(['change', index, 'annotationId'], id)),
    ...remove.flatMap((id, index) => check(['remove', index], id)),
  ];
}
