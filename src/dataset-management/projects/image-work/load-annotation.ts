import type { SignedInContext } from '../../../core/context/context.ts';
import { pagesBelow, type PageBelow } from '../../../core/lists/pages-below.ts';
import { loaderById, uncached } from '../../../core/lists/load-by-id.ts';
import { readList } from '../../../core/lists/read-list.ts';
import { isUuid } from '../../../core/uuid.ts';
import { annotationList, type Annotation } from './annotation.ts';

/** A page of the annotations of an image, of all of its projects or of one. GraphQL `DatasetImage.annotations`. */
export const pageAnnotations = pagesBelow(
  ({ viewer }, image, { projectId }: PageBelow & { projectId: string | undefined }) =>
    annotationList(viewer, { image, projectId }),
);

const loader = loaderById(
  (ctx: SignedInContext, ids: readonly string[]) =>
    readList(ctx, annotationList(ctx.viewer, { ids: ids.filter(isUuid) })),
  uncached,
);

/** The annotation if the viewer sees its project, else null. GraphQL `node`. */
export function loadAnnotation(ctx: SignedInContext, id: string): Promise<Annotation | null> {
  return loader(ctx).load(id);
}
