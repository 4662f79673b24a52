import { NotFoundError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { asSent, creationErrors, returnedAsSent } from '../envelope/schema-errors.ts';
import { cancelExport } from './jobs/cancel-export.ts';
import { ExportJob, loadExportJob } from './jobs/load-export-job.ts';
import { startExportJob } from './jobs/start-export-job.ts';
import { watchExportJob } from './jobs/watch-export-job.ts';

const ExportFilterEnum = builder.enumType('ExportFilter', {
  description: 'REST: dataFilter (All, Accepted, Annotated, ConfigOnly).',
  values: {
    ALL: { description: 'Every image.' },
    ACCEPTED: { description: 'Images whose annotations are accepted.' },
    ANNOTATED: { description: 'Images that are annotated, also with nothing.' },
    CONFIG_ONLY: { description: 'No image: only project.json.' },
  } as const,
});
const ExportFormatEnum = builder.enumType('ExportFormat', {
  description: 'Label files besides the native ones and COCO, which are in every archive.',
  values: {
    NATIVE: { description: 'annotations/<image>.json.' },
    COCO: { description: 'coco/annotations.json.' },
    YOLO: { description: 'labels/<image>.txt.' },
    PASCAL_VOC: { description: 'voc/<image>.xml.' },
  } as const,
});
const JobStateEnum = builder.enumType('JobState', {
  description: 'How far a job is.',
  values: {
    QUEUED: { description: 'Waits for its turn.' },
    RUNNING: { description: 'Is at work.' },
    SUCCEEDED: { description: 'Is done.' },
    FAILED: { description: 'Has failed; start it again.' },
    CANCELLED: { description: 'Was cancelled.' },
  } as const,
});

const ExportJobRef = builder.objectRef<ExportJob>('ExportJob');
builder.node(ExportJobRef, {
  description:
    'An export in the background; read it with node(id), or follow it with exportJobChanged, until it has succeeded.',
  id: { resolve: (job) => job.id, description: 'Opaque global id.' },
  isTypeOf: (value) => value instanceof ExportJob,
  loadOne: (id, ctx) => loadExportJob(ctx, id),
  fields: (t) => ({
    state: t.expose('state', { type: JobStateEnum, description: 'How far it is.' }),
    filter: t.expose('filter', {
      type: ExportFilterEnum,
      description: 'Which images of the project are exported.',
    }),
    format: t.expose('format', { type: ExportFormatEnum, description: 'Which label files.' }),
    progress: t.exposeFloat('progress', { description: 'Share that is done, 0 to 1.' }),
    missingImages: t.exposeInt('missingImages', {
      description:
        'Images that the archive holds without their files, because the storage has lost them; known once it has succeeded. `missing.txt` in the archive names them.',
    }),
    downloadUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'The archive, once it has succeeded; takes ranges and asks for the session.',
      resolve: ({ id, archive }, _, ctx) => (archive ? `${ctx.baseUrl}/exports/${id}` : null),
    }),
    byteSize: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Length of the archive.',
      resolve: ({ archive }) => archive?.byteSize ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the archive is removed.',
      resolve: ({ archive }) => archive?.expiresAt.toISOString() ?? null,
    }),
  }),
});

const ExportProjectInput = builder.inputType('ExportProjectInput', {
  description: 'What to export.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    filter: t.field({
      type: ExportFilterEnum,
      required: true,
      description: 'Which images of the project are exported.',
    }),
    format: t.field({
      type: ExportFormatEnum,
      required: true,
      defaultValue: 'NATIVE',
      description: 'Which label files.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const ExportProjectPayload = builder
  .objectRef<Created<ExportJob> & { clientMutationId: string | null | undefined }>(
    'ExportProjectPayload',
  )
  .implement({
    description: 'The export is under way.',
    fields: (t) => ({
      job: t.expose('created', {
        type: ExportJobRef,
        description: 'The job that makes the archive: follow its `progress`.',
      }),
      replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('exportProject', (t) =>
  t.field({
    type: ExportProjectPayload,
    description:
      'Exports a project in the background. While nothing in it has changed, the same export asked for again is the same job. At most 5 of yours, and 20 of a workspace, are under way at a time. REST: GET /api/Projects/export, which answers with the archive at once.',
    errors: {
      types: creationErrors,
      union: { name: 'ExportProjectResult', description: 'Outcome of exportProject.' },
    },
    args: {
      input: t.arg({
        type: ExportProjectInput,
        required: true,
        description: 'Project, filter and format.',
      }),
    },
    resolve: async (_, { input }, ctx) => ({
      ...(await startExportJob(ctx, { ...input, projectId: decodeId('Project', input.projectId) })),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

const CancelExportInput = builder.inputType('CancelExportInput', {
  description: 'An export of yours.',
  fields: (t) => ({
    jobId: t.id({ required: true, description: 'The job.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CancelExportPayload = builder
  .objectRef<{ job: ExportJob; clientMutationId: string | null | undefined }>('CancelExportPayload')
  .implement({
    description: 'The export is over.',
    fields: (t) => ({
      job: t.expose('job', {
        type: ExportJobRef,
        description: 'CANCELLED; or as it was, when it was over already.',
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('cancelExport', (t) =>
  t.field({
    type: CancelExportPayload,
    description:
      'Stops an export of yours and removes what it has written. One that is over stays as it is, with its archive; calling it again changes nothing.',
    errors: {
      types: [NotFoundError],
      union: { name: 'CancelExportResult', description: 'Outcome of cancelExport.' },
    },
    args: {
      input: t.arg({ type: CancelExportInput, required: true, description: 'The job.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      job: await cancelExport(ctx, { jobId: decodeId('ExportJob', input.jobId) }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);

builder.subscriptionField('exportJobChanged', (t) =>
  t.field({
    type: ExportJobRef,
    description:
      'A job of yours: as it is, then whenever its state or progress changes, until it is over.',
    args: { jobId: t.arg.id({ required: true, description: 'The job.' }) },
    subscribe: (_, { jobId }, ctx) => watchExportJob(ctx, { jobId: decodeId('ExportJob', jobId) }),
    resolve: (job) => job,
  }),
);
