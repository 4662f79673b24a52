import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { watchJob } from '../export/jobs/watch-job.ts';
import { JobStateEnum } from '../export/schema.ts';
import { AnnotationImport, loadAnnotationImport } from './jobs/load-annotation-import.ts';
import { MOST_LISTED, type ImportReport } from './jobs/import-report.ts';

const ImportFormatEnum = builder.enumType('ImportFormat', {
  description: 'Format of a file with annotations.',
  values: {
    COCO: { description: 'JSON of COCO, alone or in an archive. REST: Coco.' },
    YOLO: {
      description:
        'An archive with labels of YOLO (boxes, outlines, points) and data.yaml or classes.txt. REST: Yolo.',
    },
    PASCAL_VOC: { description: 'An archive with Annotations/*.xml. REST: PascalVoc.' },
    LABEL_STUDIO: {
      description: 'JSON of Label Studio, alone or in an archive. REST: LabelStudio.',
    },
  } as const,
});

const ProblemRef = builder
  .objectRef<ImportReport['problems']['listed'][number]>('AnnotationImportProblem')
  .implement({
    description: 'Something in a file with annotations that can not be stored.',
    fields: (t) => ({
      file: t.exposeString('file', {
        description: 'Name of the file, or of the entry in the archive.',
      }),
      image: t.exposeString('image', {
        nullable: true,
        description: 'The image as the file calls it; null for what belongs to none.',
      }),
      object: t.exposeString('object', {
        nullable: true,
        description:
          'The object, e.g. annotation 17 or line 3; null for the image or the file itself.',
      }),
      message: t.exposeString('message', { description: 'What is wrong, in English.' }),
    }),
  });

/** An import of annotations. */
export const AnnotationImportRef = builder.objectRef<AnnotationImport>('AnnotationImport');
builder.node(AnnotationImportRef, {
  description:
    'An import of annotations in the background, started with REST POST /api/Projects/importAnnotations, which streams the file. Read it with node(id), or follow it with annotationImportChanged, until it has ended; it is kept for a week.',
  id: { resolve: (job) => job.id },
  isTypeOf: (value) => value instanceof AnnotationImport,
  loadOne: (id, ctx) => loadAnnotationImport(signedIn(ctx), id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API.' }),
    state: t.expose('state', {
      type: JobStateEnum,
      description: 'State of the job. FAILED also if the file has problems.',
    }),
    fileName: t.exposeString('name', { description: 'Name of the file.' }),
    dryRun: t.exposeBoolean('dryRun', {
      description: 'Whether it only says what would happen.',
    }),
    progress: t.exposeFloat('progress', { description: 'Completed share, from 0 to 1.' }),
    format: t.field({
      type: ImportFormatEnum,
      nullable: true,
      description: 'What the file was read as; null until then.',
      resolve: ({ report }) => report.format,
    }),
    imagesCount: t.int({
      description: 'Number of images of the project that the file annotates; 0 until it has ended.',
      resolve: ({ report }) => report.images,
    }),
    annotationsCount: t.int({
      description: 'Number of annotations on them; 0 until it has ended.',
      resolve: ({ report }) => report.annotations,
    }),
    replacedImagesCount: t.int({
      description: 'How many of the images had annotations before, which the import replaces.',
      resolve: ({ report }) => report.replaced,
    }),
    changedImagesCount: t.int({
      description: 'How many images have other annotations now; 0 if it was only rehearsed.',
      resolve: ({ report }) => report.changed,
    }),
    newClassNames: t.stringList({
      extensions: costs({ rows: 10 }),
      description: 'Classes that the project did not have, at most 1000.',
      resolve: ({ report }) => report.newClasses,
    }),
    unmatchedCount: t.int({
      description: 'Number of images in the file that the project does not have, or several times.',
      resolve: ({ report }) => report.unmatched.total,
    }),
    unmatchedNames: t.stringList({
      extensions: costs({ rows: 10 }),
      description: `Their names in the file, at most ${MOST_LISTED}.`,
      resolve: ({ report }) => report.unmatched.listed,
    }),
    problemsCount: t.int({
      description: 'Number of problems of the file: with any, nothing is imported.',
      resolve: ({ report }) => report.problems.total,
    }),
    problems: t.field({
      type: [ProblemRef],
      extensions: costs({ rows: 100 }),
      description: `The problems, at most ${MOST_LISTED}.`,
      resolve: ({ report }) => report.problems.listed,
    }),
  }),
});

builder.subscriptionField('annotationImportChanged', (t) =>
  t.field({
    type: AnnotationImportRef,
    description:
      'One of your imports: its current state, then every change of state or progress, until it ends.',
    args: { jobId: t.arg.id({ required: true, description: 'Global id of the job.' }) },
    subscribe: (_, { jobId }, ctx) =>
      watchJob(
        signedIn(ctx),
        { typename: 'AnnotationImport', jobId: decodeId('AnnotationImport', jobId) },
        loadAnnotationImport,
      ),
    resolve: (job) => job,
  }),
);
