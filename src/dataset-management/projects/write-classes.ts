import { randomUUID } from 'node:crypto';
import type { Database } from '../../core/database/db.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { readSkeleton, type Skeleton } from './skeleton.ts';
import { lockProject } from './projects.sql.ts';

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

/** What is said of a class; what is left out stays as it is. */
export interface GivenClass {
  name: string;
  color?: string | null | undefined;
  supercategory?: string | null | undefined;
  skeleton?: Skeleton | null | undefined;
}

type Values = Pick<Prisma.AnnotationClassCreateManyInput, 'color' | 'supercategory' | 'skeleton'>;

/** The columns of what is said. */
const valuesOf = ({ color, supercategory, skeleton }: GivenClass): Partial<Values> => ({
  ...(color != null && { color: color.toLowerCase() }),
  ...(supercategory !== undefined && { supercategory }),
  ...(skeleton !== undefined && { skeleton: skeleton ?? Prisma.DbNull }),
});

/**
 * Adds classes with validated names, and changes what is said of existing ones. Returns whether that changed anything:
 * then the project has a new version. Must run in a transaction.
 */
export async function writeClasses(
  db: Pick<Database, 'prisma' | 'rows'>,
  projectId: string,
  classes: readonly GivenClass[],
): Promise<boolean> {
  const { annotationClass } = db.prisma;
  await lockProject.rows(db, { id: projectId });
  const listed = await annotationClass.findMany({
    where: { projectId },
    orderBy: { position: 'asc' },
  });
  const known = new Map(listed.map((row) => [row.name, row]));
  const added = new Map<string, Prisma.AnnotationClassCreateManyInput>();
  let changed = false;
  let position = listed.at(-1)?.position ?? 0;
  for (const given of classes) {
    const name = given.name.trim();
    const values = valuesOf(given);
    const before = added.get(name);
    const row = known.get(name);
    if (before) Object.assign(before, values);
    else if (!row) {
      const color = COLORS[position++ % COLORS.length] ?? '';
      added.set(name, { id: randomUUID(), projectId, name, color, ...values, position });
    } else if (isOther(row, given)) {
      changed = true;
      known.set(name, await annotationClass.update({ where: { id: row.id }, data: values }));
    }
  }
  await annotationClass.createMany({ data: [...added.values()] });
  changed ||= added.size > 0;
  if (changed)
    await db.prisma.project.update({
      where: { id: projectId },
      data: { version: { increment: 1 } },
    });
  return changed;
}

/** Is something else said of a class than is stored? */
function isOther(
  row: { color: string; supercategory: string | null; skeleton: unknown },
  { color, supercategory, skeleton }: GivenClass,
): boolean {
  return (
    (color != null && color.toLowerCase() !== row.color) ||
    (supercategory !== undefined && supercategory !== row.supercategory) ||
    (skeleton !== undefined &&
      JSON.stringify(skeleton) !== JSON.stringify(readSkeleton(row.skeleton)))
  );
}
