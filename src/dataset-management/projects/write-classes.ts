import { randomUUID } from 'node:crypto';
import type { Database } from '../../core/database/db.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
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

/** Adds classes with validated names, and changes the colours of existing ones. Returns whether that
 * changed anything. Must run in a transaction. */
export async function writeClasses(
  db: Pick<Database, 'prisma' | 'rows'>,
  projectId: string,
  classes: readonly { name: string; color?: string | null | undefined }[],
): Promise<boolean> {
  const { annotationClass } = db.prisma;
  await lockProject.rows(db, { id: projectId });
  const listed = await annotationClass.findMany({
    where: { projectId },
    orderBy: { position: 'asc' },
  });
  const known = new Map(listed.map(({ name, color }) => [name, color]));
  const added = new Map<string, Prisma.AnnotationClassCreateManyInput>();
  let changed = false;
  let position = listed.at(-1)?.position ?? 0;
  for (const { name: given, color: wanted } of classes) {
    const name = given.trim();
    const color = wanted?.toLowerCase();
    const before = added.get(name);
    if (before) before.color = color ?? before.color;
    else if (!known.has(name)) {
      const standard = COLORS[position++ % COLORS.length] ?? '';
      added.set(name, { id: randomUUID(), projectId, name, color: color ?? standard, position });
    } else if (color !== undefined && color !== known.get(name)) {
      known.set(name, color);
      changed = true;
      await annotationClass.update({
        where: { projectId_name: { projectId, name } },
        data: { color },
      });
    }
  }
  await annotationClass.createMany({ data: [...added.values()] });
  return changed || added.size > 0;
}
