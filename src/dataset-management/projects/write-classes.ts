import { randomUUID } from 'node:crypto';
import type { Database } from '../../core/database/db.ts';
import { inGroups } from '../../core/records/in-groups.ts';
import { refusal } from '../envelope/dataset-errors.ts';
import { readSkeleton, type Skeleton } from './skeleton.ts';
import { lockProject, upsertClasses } from './projects.sql.ts';

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

/** Classes that a project may have: they are listed in one go. */
export const MAX_CLASSES = 10_000;
export const TOO_MANY_CLASSES = `the project would have more than ${MAX_CLASSES} classes`;

/** What is said of a class; what is left out stays as it is. */
export interface GivenClass {
  name: string;
  color?: string | null | undefined;
  supercategory?: string | null | undefined;
  skeleton?: Skeleton | null | undefined;
}

/** A class as it is stored, without its project. */
interface ClassRow {
  id: string;
  name: string;
  color: string;
  position: number;
  supercategory: string | null;
  skeleton: unknown;
}

/** The columns of what is said. */
const valuesOf = ({ color, supercategory, skeleton }: GivenClass): Partial<ClassRow> => ({
  ...(color != null && { color: color.toLowerCase() }),
  ...(supercategory !== undefined && { supercategory }),
  ...(skeleton !== undefined && { skeleton }),
});

/**
 * Adds classes with validated names, and changes what is said of existing ones. Returns whether that changed anything:
 * then the project has a new version. Must run in a transaction. Throws ValidationError, before it writes, if there
 * would be too many.
 */
export async function writeClasses(
  db: Pick<Database, 'prisma' | 'rows'>,
  projectId: string,
  classes: readonly GivenClass[],
): Promise<boolean> {
  await lockProject.rows(db, { id: projectId });
  const listed: ClassRow[] = await db.prisma.annotationClass.findMany({
    where: { projectId },
    omit: { projectId: true },
    orderBy: { position: 'asc' },
  });
  const known = new Map(listed.map((row) => [row.name, row]));
  const written = new Map<string, ClassRow>();
  let position = listed.at(-1)?.position ?? 0;
  for (const given of classes) {
    const name = given.name.trim();
    const row = known.get(name);
    if (row && !isOther(row, given)) continue;
    const color = COLORS[position % COLORS.length] ?? '';
    const before = row ?? {
      ...{ id: randomUUID(), name, color, position: ++position },
      ...{ supercategory: null, skeleton: null },
    };
    const after = { ...before, ...valuesOf(given) };
    known.set(name, after);
    written.set(name, after);
  }
  if (written.size === 0) return false;
  if (known.size > listed.length && known.size > MAX_CLASSES)
    throw refusal('VALIDATION_ERROR', 'classes', TOO_MANY_CLASSES);
  for (const some of inGroups([...written.values()]))
    await upsertClasses.rows(db, { projectId, classes: JSON.stringify(some) });
  await db.prisma.project.update({
    where: { id: projectId },
    data: { version: { increment: 1 } },
  });
  return true;
}

/** Is something else said of a class than is stored? */
function isOther(row: ClassRow, { color, supercategory, skeleton }: GivenClass): boolean {
  return (
    (color != null && color.toLowerCase() !== row.color) ||
    (supercategory !== undefined && supercategory !== row.supercategory) ||
    (skeleton !== undefined &&
      JSON.stringify(skeleton) !== JSON.stringify(readSkeleton(row.skeleton)))
  );
}
