import { Readable } from 'node:stream';
import * as z from 'zod';
import { NotFoundError } from '../../core/errors.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { readBy } from '../../core/rest/parameter-values.ts';
import type { Route } from '../../core/rest/route.ts';
import { countTransfer } from '../content/count-transfer.ts';
import { fileRoute } from '../envelope/present-envelope.ts';
import { presentFile } from '../images/present-file.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { explainChange, nullInGraphQL } from '../envelope/explain-dataset-request.ts';
import { idParameter } from '../envelope/input-parameters.ts';
import { parseUuid } from '../../core/uuid.ts';
import { loadExportJob } from './jobs/load-export-job.ts';
import { exportFilterNames, exportFilters, parseExportFilter } from './selection/export-filter.ts';
import type { ExportOptions } from './selection/check-export.ts';
import { exportFormatNames, exportFormats, parseExportFormat } from './selection/export-format.ts';
import { explainSplit, readSplit } from './selection/read-split.ts';
import { MAX_SEED, splitForm } from './selection/split.ts';
import { readVersion, versionForm } from '../versions/open-version.ts';
import { openExport } from './archive/open-export.ts';

const filterNames = exportFilters.map((filter) => exportFilterNames[filter]);
const formatNames = exportFormats.map((format) => exportFormatNames[format]);
const seedFault = `must be an integer from 0 to ${MAX_SEED}`;

const exportRequest = z.object({
  projectId: idParameter('query', 'The project.'),
  dataFilter: parameter(
    z
      .preprocess(
        (text) => (typeof text === 'string' ? parseExportFilter(text) : text),
        z.enum(exportFilters, { error: `is none of ${filterNames.join(', ')}` }),
      )
      .meta({ enum: filterNames }),
    {
      in: 'query',
      required: true,
      example: 'All',
      description: 'Which images.',
      missing: 'INVALID_DATA_FILTER',
      unusable: 'INVALID_DATA_FILTER',
    },
  ),
  format: parameter(
    z
      .preprocess(
        (text) => (typeof text === 'string' ? (parseExportFormat(text) ?? text) : text),
        z.enum(exportFormats, { error: `is none of ${formatNames.join(', ')}` }).optional(),
      )
      .meta({ enum: formatNames }),
    {
      in: 'query',
      example: 'Yolo',
      description:
        'The label files to add; Native when left out. Not part of the API document: an extension.',
      unusable: 'VALIDATION_ERROR',
    },
  ),
  split: parameter(z.string().max(10_000, { error: 'is longer than 10000' }).optional(), {
    in: 'query',
    example: '80/10/10',
    description: `How the images are split: ${splitForm}. An extension.`,
    unusable: 'VALIDATION_ERROR',
  }),
  seed: parameter(
    z.preprocess(
      (text) => (typeof text === 'string' && /^\d{1,10}$/.test(text.trim()) ? Number(text) : text),
      z
        .int({ error: seedFault })
        .min(0, { error: seedFault })
        .max(MAX_SEED, { error: seedFault })
        .optional(),
    ),
    {
      in: 'query',
      example: 7,
      description: 'Another seed splits by shares in another way; 0 when left out. An extension.',
      unusable: 'VALIDATION_ERROR',
    },
  ),
  version: parameter(z.string().max(100, { error: 'is longer than 100' }).optional(), {
    in: 'query',
    example: '0193c1a4-8a60-7d3e-9b57-0a4f3c2e1d00:3',
    description: `A version of a dataset: ${versionForm}. Its images and annotations are exported instead of what the project has now. An extension.`,
    unusable: 'VALIDATION_ERROR',
  }),
});

/** The options of an export that were sent, without the version. */
function optionsOf({
  dataFilter: filter,
  format = 'NATIVE',
  split,
  seed,
}: z.output<typeof exportRequest>): ExportOptions {
  return { filter, format, split: readSplit(split, seed) };
}

export const exportRoutes: readonly Route[] = [
  fileRoute({
    method: 'GET',
    path: '/api/Projects/export',
    operation: 'exportProject',
    summary: 'Streams a project as a ZIP archive.',
    request: exportRequest,
    answer: { mediaTypes: ['application/zip'] },
    errors: ['INVALID_ID', 'INVALID_DATA_FILTER', 'VALIDATION_ERROR', 'PROJECT_NOT_FOUND'],
    transfer: true,
    run: async (ctx, args) => {
      const { projectId } = args;
      const version = args.version === undefined ? null : await readVersion(ctx, args.version);
      const options = { projectId, ...optionsOf(args), version };
      const { fileName, bytes } = await openExport(ctx, options);
      const disposition = `attachment; filename="export-${projectId}.zip"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
      return {
        headers: { 'content-type': 'application/zip', 'content-disposition': disposition },
        // It counts until it is closed, also if nobody ever reads it.
        body: Readable.from(bytes, { objectMode: false }).once(
          'close',
          countTransfer(ctx, 'exports'),
        ),
      };
    },
    explain: (args) => {
      const versionId = parseUuid(args.version ?? '');
      const input = {
        projectId: encodeGlobalId('Project', args.projectId),
        filter: args.dataFilter,
        format: args.format ?? 'NATIVE',
        ...explainSplit(optionsOf(args).split),
        ...(versionId !== undefined && {
          version: encodeGlobalId('DatasetVersion', versionId),
        }),
      };
      const notes = [
        'REST streams the archive at once; GraphQL makes it in the background: read the job with node(id) until it has a downloadUrl.',
        'For one stream, go on with the REST path.',
        ...(args.version !== undefined && versionId === undefined
          ? ['GraphQL takes the id of the version: Dataset.versionByNumber(number) has it.']
          : []),
      ];
      return explainChange('exportProject', input, {
        payload: 'ExportProjectPayload',
        selection: 'job { id state }',
        notes,
      });
    },
  }),
  fileRoute({
    method: 'GET',
    path: '/exports/{jobId}',
    operation: 'downloadExport',
    summary: 'Downloads the archive of a finished export job; can be resumed.',
    request: z.object({
      jobId: parameter(
        readBy((id) => parseUuid(String(id)), { type: 'string', format: 'uuid' }),
        { in: 'path', required: true, description: 'The job.' },
      ),
    }),
    answer: {
      mediaTypes: ['application/zip'],
      conditional: true,
      ranges: true,
      headers: {
        'X-Missing-Images':
          'How many images are in it without their files, because the storage has lost them: missing.txt names them.',
      },
    },
    errors: ['VALIDATION_ERROR'],
    transfer: true,
    run: async (ctx, { jobId: id }, request) => {
      const job = id === undefined ? null : await loadExportJob(ctx, id);
      if (!job?.archive) throw new NotFoundError('Export');
      return presentFile(ctx, request, {
        of: `export ${job.id}`,
        bytes: job.archive,
        contentType: 'application/zip',
        fileName: `export-${job.id}.zip`,
        cacheControl: 'private, no-cache',
        headers: { 'x-missing-images': String(job.missingImages) },
      }).catch(async (error: unknown) => {
        // It may have expired since, and been removed.
        if (!(await loadExportJob(ctx, job.id))?.archive) throw new NotFoundError('Export');
        throw error;
      });
    },
    explain: ({ jobId: id }) => {
      if (id === undefined) throw new NotFoundError('Export');
      return {
        steps: [{ field: 'node', args: { id: encodeGlobalId('ExportJob', id) } }],
        select: '... on ExportJob { state missingImages downloadUrl byteSize expiresAt }',
        notes: [
          'GraphQL gives the address of the archive: get it there with the same session.',
          nullInGraphQL,
        ],
      };
    },
  }),
];
