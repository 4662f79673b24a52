import { signedIn } from '../../auth/guards.ts';
import { NotFoundError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import type { Created } from '../content/create-once.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { creationErrors } from '../envelope/schema-errors.ts';
import { cancelExport } from './jobs/cancel-export.ts';
import { ExportJob, loadExportJob } from './jobs/load-export-job.ts';
import { loadVersion } from '../versions/load-version.ts';
import { DatasetVersionRef } from '../versions/schema.ts';
import { decodeSplit, ExportSplit, ExportSplitInput } from './schema-split.ts';
import { startExportJob } from './jobs/start-export-job.ts';
import { watchJob } from './jobs/watch-job.ts';

const ExportFilterEnum = builder.enumType('ExportFilter', {
  description: 'Which images of a project to export. REST: dataFilter.',
  values: {
    ALL: { description: 'Every image. REST: All.' },
    ACCEPTED: { description: 'Images whose annotations are accepted. REST: Accepted.' },
    ANNOTATED: {
      description:
        'Images that are marked as annotated, even without annotations. REST: Annotated.',
    },
    CONFIG_ONLY: { description: 'No images: only project.json. REST: ConfigOnly.' },
  } as const,
});
const ExportFormatEnum = builder.enumType('ExportFormat', {
  description:
    'Label files to add to an archive; native ones and COCO are in every archive. What a format can not carry is in report.json. REST: format.',
  values: {
    NATIVE: { description: 'Nothing more: annotations/<image>.json is in every archive.' },
    COCO: {
      description:
        'COCO: coco/annotations.json, which is in every archive, and coco/<part>.json of a split.',
    },
    YOLO: {
      description:
        'YOLO for detection: labels/<dataset>/<image>.txt, data.yaml and lists of the images.',
    },
    YOLO_SEGMENT: { description: 'YOLO for segmentation: outlines in the same files.' },
    YOLO_POSE: {
      description: 'YOLO for poses: boxes with points in the same files; needs POINTS annotations.',
    },
    PASCAL_VOC: {
      description: 'Pascal VOC: Annotations/<image>.xml, JPEGImages and ImageSets/Main.',
    },
    LABEL_STUDIO: {
      description: 'Label Studio: label-studio.json and the set-up label-studio.xml.',
    },
    CSV: { description: 'A line for each annotation, in annotations.csv.' },
  } as const,
});
/** States of exports and imports. */
export const JobStateEnum = builder.enumType('JobState', {
  description: 'State of a job; CANCELLED, FAILED and SUCCEEDED are final.',
  values: {
    QUEUED: { description: 'The job is waiting for its turn.' },
    RUNNING: { description: 'The job is running.' },
    SUCCEEDED: { description: 'The job is done.' },
    FAILED: {
      description: 'The job has failed; start it again, unless it says why it can not succeed.',
    },
    CANCELLED: { description: 'The job was cancelled.' },
  } as const,
});

const ExportJobRef = builder.objectRef<ExportJob>('ExportJob');
builder.node(ExportJobRef, {
  description:
    'An export in the background. Read it with node(id), or follow it with exportJobChanged, until it has ended.',
  id: { resolve: (job) => job.id },
  isTypeOf: (value) => value instanceof ExportJob,
  loadOne: (id, ctx) => loadExportJob(signedIn(ctx), id),
  fields: (t) => ({
    state: t.expose('state', { type: JobStateEnum, description: 'State of the job.' }),
    filter: t.expose('filter', {
      type: ExportFilterEnum,
      description: 'Which images of the project are exported.',
    }),
    format: t.expose('format', {
      type: ExportFormatEnum,
      description: 'Label files that are added to the archive.',
    }),
    split: t.expose('split', {
      type: ExportSplit,
      nullable: true,
      description: 'How its images are split; null if they are not.',
    }),
    version: t.field({
      type: DatasetVersionRef,
      nullable: true,
      description:
        'The version that it exports; null for what the project had, or if the version was deleted.',
      resolve: ({ versionId }, _, ctx) =>
        versionId === null ? null : loadVersion(signedIn(ctx), versionId),
    }),
    progress: t.exposeFloat('progress', { description: 'Completed share, from 0 to 1.' }),
    missingImages: t.exposeInt('missingImages', {
      description:
        'Number of images whose files are missing from the archive because the storage has lost them; 0 until the job has succeeded. `missing.txt` in the archive lists them.',
    }),
    downloadUrl: t.field({
      type: 'URL',
      nullable: true,
      description:
        'URL of the archive; null unless the job has succeeded and the archive still exists. Supports ranges; requires the session.',
      resolve: ({ id, archive }, _, ctx) => (archive ? `${ctx.baseUrl}/exports/${id}` : null),
    }),
    byteSize: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Size of the archive in bytes; null unless it exists.',
      resolve: ({ archive }) => archive?.byteSize ?? null,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the archive is removed; null unless it exists.',
      resolve: ({ archive }) => archive?.expiresAt.toISOString() ?? null,
    }),
  }),
});

const ExportProjectInput = mutationInput('ExportProjectInput', {
  description: 'What to export.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Global id of the project.' }),
    filter: t.field({
      type: ExportFilterEnum,
      required: true,
      description: 'Which images of the project to export.',
    }),
    format: t.field({
      type: ExportFormatEnum,
      required: true,
      defaultValue: 'NATIVE',
      description: 'Label files to add to the archive.',
    }),
    split: t.field({
      type: ExportSplitInput,
      description:
        'How the images are split into those for training, validation and test; not for NATIVE and LABEL_STUDIO. Not split when omitted.',
    }),
    version: t.id({
      description:
        'Global id of a version of a dataset: exactly its images and annotations are exported, instead of what the project has now. REST: version.',
    }),
    idempotencyKey: t.string({ description: onceADay }),
  }),
});
const ExportProjectPayload = mutationPayload<Created<ExportJob>>('ExportProjectPayload', {
  description: 'Result of starting an export.',
  fields: (t) => ({
    job: t.expose('created', {
      type: ExportJobRef,
      description: 'The job that makes the archive: follow its `progress`.',
    }),
    replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
  }),
});
mutation('exportProject', {
  description:
    'Exports a project in the background. Requesting the same export again returns the same job as long as nothing in the project has changed. At most 5 of your jobs, and 20 of a workspace, may be in progress. REST: GET /api/Projects/export, which streams the archive.',
  input: ExportProjectInput,
  inputIs: 'Project, filter and format.',
  payload: ExportProjectPayload,
  failures: creationErrors,
  resolve: (input, ctx) =>
    startExportJob(signedIn(ctx), {
      ...input,
      split: decodeSplit(input.split),
      version: input.version == null ? null : decodeId('DatasetVersion', input.version),
      projectId: decodeId('Project', input.projectId),
    }),
});

const CancelExportInput = mutationInput('CancelExportInput', {
  description: 'The export to stop, one of yours.',
  fields: (t) => ({
    jobId: t.id({ required: true, description: 'Global id of the job.' }),
  }),
});
const CancelExportPayload = mutationPayload<{ job: ExportJob }>('CancelExportPayload', {
  description: 'Result of cancelling an export.',
  fields: (t) => ({
    job: t.expose('job', {
      type: ExportJobRef,
      description: 'The job: CANCELLED, or unchanged if it had already ended.',
    }),
  }),
});
mutation('cancelExport', {
  description:
    'Stops one of your exports and removes its files. An export that has ended keeps its state and archive; repeating the call changes nothing.',
  input: CancelExportInput,
  inputIs: 'The job.',
  payload: CancelExportPayload,
  failures: [NotFoundError],
  resolve: async (input, ctx) => ({
    job: await cancelExport(signedIn(ctx), { jobId: decodeId('ExportJob', input.jobId) }),
  }),
});

builder.subscriptionField('exportJobChanged', (t) =>
  t.field({
    type: ExportJobRef,
    description:
      'One of your jobs: its current state, then every change of state or progress, until it ends.',
    args: { jobId: t.arg.id({ required: true, description: 'Global id of the job.' }) },
    subscribe: (_, { jobId }, ctx) =>
      watchJob(
        signedIn(ctx),
        { typename: 'ExportJob', jobId: decodeId('ExportJob', jobId) },
        loadExportJob,
      ),
    resolve: (job) => job,
  }),
);
