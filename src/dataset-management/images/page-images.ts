import type { SignedInContext } from '../../core/context/context.ts';
import type { Connection, PageRequest } from '../../core/lists/pagination.ts';
import { foldLogin, isStorable } from '../../core/text.ts';
import { pagesBelow, type PageBelow } from '../../core/lists/pages-below.ts';
import type { WorkFilter } from '../content/lists.sql.ts';
import { imageList, reviewedImageList, type DatasetImage } from './image.ts';

/** NONE: nobody has looked at the image; ANNOTATED: also with no annotation. */
export type ReviewState = 'NONE' | 'ANNOTATED' | 'ACCEPTED' | 'REJECTED';

/** Images by the work on them in a project; what is left out does not matter. */
export interface ImageFilter {
  projectId: string;
  state?: ReviewState | null | undefined;
  className?: string | null | undefined;
  /** Logins of who changed its annotations last, and of whom it is assigned to. */
  annotator?: string | null | undefined;
  assignee?: string | null | undefined;
}

interface ImagePage extends PageBelow {
  hasAnnotations?: boolean | null | undefined;
}

const pageAll = pagesBelow(
  ({ viewer }, dataset, { hasAnnotations, work }: ImagePage & { work?: WorkFilter }) =>
    imageList(viewer, { dataset, hasAnnotations, work }),
);
const pageReviewed = pagesBelow(
  ({ viewer }, dataset, { hasAnnotations, work }: ImagePage & { work: WorkFilter }) =>
    reviewedImageList(viewer, { dataset, hasAnnotations, work }),
);

/** No class has it. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * A page of the images of a dataset by keyset; with a filter none if the dataset is not in that project, or the viewer does
 * not see it. GraphQL `Dataset.images`.
 */
export async function pageImages(
  ctx: SignedInContext,
  { filter, ...args }: ImagePage & { page: PageRequest; filter?: ImageFilter | undefined },
): Promise<Connection<DatasetImage>> {
  if (!filter) return pageAll(ctx, args);
  const { projectId, state, className, annotator, assignee } = filter;
  const work: WorkFilter = {
    projectId,
    ...(state != null && { state }),
    ...(annotator != null && { annotator: storedLogin(annotator) }),
    ...(assignee != null && { assignee: storedLogin(assignee) }),
    ...(className != null && { classId: await classIdOf(ctx, projectId, className) }),
  };
  // Only what somebody has worked on, or is to, has a row, and an index in the order of the list.
  const isOnRecord = (state != null && state !== 'NONE') || annotator != null || assignee != null;
  return isOnRecord ? pageReviewed(ctx, { ...args, work }) : pageAll(ctx, { ...args, work });
}

/** By its id, because PostgreSQL then knows how rare the class is. */
async function classIdOf(
  { db }: SignedInContext,
  projectId: string,
  name: string,
): Promise<string> {
  if (!isStorable(name)) return NOBODY;
  const found = await db.prisma.annotationClass.findUnique({
    where: { projectId_name: { projectId, name } },
    select: { id: true },
  });
  return found?.id ?? NOBODY;
}

/** A login as it is stored; one that nobody has if it could not be. */
function storedLogin(login: string): string {
  return isStorable(login) ? foldLogin(login) : '';
}
