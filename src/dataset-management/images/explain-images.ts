import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { RequestFacts, Translation } from '../../core/rest/route.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { explainChange, nullInGraphQL } from '../envelope/explain-dataset-request.ts';
import { parseUuid } from '../../core/uuid.ts';

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
      'nodes { uuid name width height createdDate hasAnnotations } totalCount pageInfo { hasNextPage endCursor }',
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

/** An upload in GraphQL, as far as its form is known: the files go as multipart. */
export async function explainUpload(request: RequestFacts): Promise<Translation> {
  const body = await request.body();
  const fields = new Map(
    body.kind === 'form' ? [...body.form].map(([name, value]) => [name.toLowerCase(), value]) : [],
  );
  const datasetId = parseUuid(fields.get('datasetid') ?? '');
  const encrypted = fields.has('thumbnail');
  const number = (name: string): number | null =>
    /^\d{1,9}$/.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null;
  const input = {
    datasetId: datasetId === undefined ? null : encodeGlobalId('Dataset', datasetId),
    fileName: fields.get('filename') ?? null,
    image: null,
    ...(request.headers['idempotency-key'] !== undefined && {
      idempotencyKey: request.headers['idempotency-key'],
    }),
    ...(encrypted && { thumbnail: null, width: number('width'), height: number('height') }),
  };
  return explainChange(
    'addImage',
    input,
    'AddImagePayload',
    'image { uuid width height }',
    'Send it as multipart (graphql-multipart-request-spec), which puts the file where image is null. Large files go on to this REST path, which streams.',
  );
}
