import { Readable } from 'node:stream';
import * as z from 'zod';
import { encodeGlobalId } from '../../core/global-id.ts';
import { readBy } from '../../core/rest/parameter-values.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import type { Route } from '../../core/rest/route.ts';
import { parseUuid } from '../../core/uuid.ts';
import { NotFoundError } from '../../core/errors.ts';
import { countTransfer } from '../content/count-transfer.ts';
import { nullInGraphQL } from '../envelope/explain-dataset-request.ts';
import { fileRoute } from '../envelope/present-envelope.ts';
import { readManifest } from './read-manifest.ts';

export const versionRoutes: readonly Route[] = [
  fileRoute({
    method: 'GET',
    path: '/dataset-versions/{versionId}/manifest',
    operation: 'readVersionManifest',
    summary: 'Streams what a version of a dataset holds, a line for each item.',
    request: z.object({
      versionId: parameter(
        readBy((id) => parseUuid(String(id)), { type: 'string', format: 'uuid' }),
        { in: 'path', required: true, description: 'The version.' },
      ),
    }),
    answer: {
      mediaTypes: ['text/plain'],
      headers: {
        'X-Version-Digest':
          'The digest of the version: SHA-256 of the hashes at the start of the lines, each with a line feed.',
      },
    },
    errors: ['FORBIDDEN', 'VALIDATION_ERROR'],
    transfer: true,
    run: async (ctx, { versionId }) => {
      if (versionId === undefined) throw new NotFoundError('DatasetVersion');
      const { fileName, digest, bytes } = await readManifest(ctx, { versionId });
      return {
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': `attachment; filename="${fileName}"`,
          'x-version-digest': digest,
        },
        // It counts until it is closed, also if nobody ever reads it.
        body: Readable.from(bytes, { objectMode: false }).once(
          'close',
          countTransfer(ctx, 'downloads'),
        ),
      };
    },
    explain: ({ versionId }) => {
      if (versionId === undefined) throw new NotFoundError('DatasetVersion');
      return {
        steps: [{ field: 'node', args: { id: encodeGlobalId('DatasetVersion', versionId) } }],
        select: '... on DatasetVersion { number digest manifestUrl }',
        notes: [
          'GraphQL gives the address of the manifest: get it there with the same session.',
          nullInGraphQL,
        ],
      };
    },
  }),
];
