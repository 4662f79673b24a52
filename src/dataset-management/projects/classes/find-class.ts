import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { isStorable } from '../../../core/text.ts';
import { ProjectPublishedError } from '../../envelope/dataset-errors.ts';
import type { Project } from '../project.ts';

/** What the changes of classes answer. */
export interface ClassChange {
  project: Project;
  /** How many annotations were moved or removed. */
  annotations: number;
}

type Tx = SignedInContext['db']['prisma'];

/** The id of a class of a project. Throws NotFoundError. */
export async function findClass(prisma: Tx, projectId: string, name: string): Promise<string> {
  const found = isStorable(name)
    ? await prisma.annotationClass.findUnique({
        where: { projectId_name: { projectId, name } },
        select: { id: true },
      })
    : null;
  if (!found) throw new NotFoundError('AnnotationClass');
  return found.id;
}

/** Throws ProjectPublishedError for a published project: its classes keep their names. */
export function refusePublished({ status }: { status: string }): void {
  if (status === 'PUBLISHED') throw new ProjectPublishedError();
}
