import type { RequestFacts, Translation } from '../../../core/rest/route.ts';
import { encodeGlobalId } from '../../../core/global-id.ts';
import { explainChange } from '../../envelope/explain-dataset-request.ts';
import { parseUuid } from '../../../core/uuid.ts';

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
  return explainChange('addImage', input, {
    payload: 'AddImagePayload',
    selection: 'image { uuid width height }',
    notes: [
      'Send it as multipart (graphql-multipart-request-spec), which puts the file where image is null. Large files go on to this REST path, which streams.',
    ],
  });
}
