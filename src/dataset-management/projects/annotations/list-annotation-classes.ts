import type { SignedInContext } from '../../../core/context/context.ts';

/** A class of a project's annotations; in COCO a category, whose id is the position. */
export interface AnnotationClass {
  id: string;
  name: string;
  /** #rrggbb. */
  color: string;
  /** From 1. */
  position: number;
  supercategory: string | null;
  /** As it is stored: see readSkeleton. */
  skeleton: unknown;
}

/** The classes of a project that the viewer has been given, by position. GraphQL `Project.classes`. */
export function listAnnotationClasses(
  { db }: Pick<SignedInContext, 'db'>,
  projectId: string,
): Promise<AnnotationClass[]> {
  return db.prisma.annotationClass.findMany({
    where: { projectId },
    omit: { projectId: true },
    orderBy: { position: 'asc' },
  });
}
