import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { Translation } from '../../core/rest/route.ts';
import { nullInGraphQL } from '../envelope/explain-dataset-request.ts';

/** A numbered page in GraphQL: `dataset.images` from the beginning, for cursors have no numbers. */
export function explainImagePage({
  DatasetId,
  PageSize: pageSize,
  PageNumber: pageNumber,
}: {
  DatasetId: string;
  PageSize: number;
  PageNumber: number;
}): Translation {
  return {
    steps: [
      { field: 'dataset', args: { uuid: DatasetId } },
      { field: 'images', args: { first: Math.min(pageSize, MAX_PAGE_SIZE), after: null } },
    ],
    select:
      'nodes { uuid name width height createdAt hasAnnotations } totalCount pageInfo { hasNextPage endCursor }',
    notes: [
      pageSize > MAX_PAGE_SIZE &&
        `GraphQL gives at most ${MAX_PAGE_SIZE} rows a page, PageSize ${pageSize} takes several.`,
      pageNumber > 1 &&
        `GraphQL pages by cursor and not by number: this is the first page; page ${pageNumber} begins behind row ${(pageNumber - 1) * pageSize}. Go on with the endCursor as after.`,
      nullInGraphQL,
    ],
  };
}

/** A file in GraphQL: the image with the address of the bytes, which REST serves. */
export function explainImage(args: { imageId: string }, selection: string): Translation {
  return {
    steps: [{ field: 'image', args: { uuid: args.imageId } }],
    select: `uuid ${selection}`,
    notes: [
      'GraphQL gives the address of the bytes: get them there with the same session.',
      nullInGraphQL,
    ],
  };
}
