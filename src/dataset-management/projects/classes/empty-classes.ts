import type { SignedInContext } from '../../../core/context/context.ts';
import { changeImagesOfClasses } from '../../content/content.sql.ts';
import { changeProject } from '../change-project.ts';
import { refusePublished, type ClassChange } from './find-class.ts';

type Prisma = SignedInContext['db']['prisma'];

/** Before the ids of all images. */
const START = '00000000-0000-0000-0000-000000000000';
/** Annotations that a step takes at least, of all those images that have them: an image may have 2,000. */
const STEP = 500;

/**
 * Takes the annotations of classes of a draft project away, and removes the classes. Up to 500 in one transaction; more in
 * several, so that no other request waits long. A failure between them leaves what is done, and the same call goes on
 * from there. Throws NotFoundError, ForbiddenError, ProjectPublishedError, and what `begin` throws.
 */
export async function emptyClasses(
  ctx: SignedInContext,
  projectId: string,
  /** Checks the request in each transaction; says which classes are to be emptied, and how. */
  begin: (prisma: Prisma) => Promise<{
    classIds: string[];
    take: (of: { classId: object; imageId: object }) => Promise<{ count: number }>;
  }>,
): Promise<ClassChange> {
  let annotations = 0;
  for (let after = START; ;) {
    let taken = 0;
    let last = START;
    const project = await changeProject(ctx, { projectId }, async ({ db }, stored) => {
      refusePublished(stored);
      const { classIds, take } = await begin(db.prisma);
      const which = { projectId, classIds, after, limit: STEP };
      const images = await changeImagesOfClasses.rows(db, which);
      const imageIds: string[] = images.map(({ id }) => id);
      taken = (await take({ classId: { in: classIds }, imageId: { in: imageIds } })).count;
      last = imageIds.at(-1) ?? START;
      const isOver = taken < STEP && after === START;
      if (isOver) await db.prisma.annotationClass.deleteMany({ where: { id: { in: classIds } } });
      return isOver;
    });
    annotations += taken;
    if (taken < STEP && after === START) return { project, annotations };
    // At the end from the start again: for images before this one that were annotated meanwhile.
    after = taken < STEP ? START : last;
  }
}
