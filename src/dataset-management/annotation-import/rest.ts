import * as z from 'zod';
import { encodeGlobalId } from '../../core/global-id.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { envelopeOf, EXAMPLE_ID, guidEnvelope } from '../envelope/envelope-shapes.ts';
import { nullInGraphQL } from '../envelope/explain-dataset-request.ts';
import { idempotencyKey, idParameter } from '../envelope/input-parameters.ts';
import { fileRoute } from '../envelope/present-envelope.ts';
import { presentData } from '../envelope/present-failure.ts';
import { exportFormatNames } from '../export/selection/export-format.ts';
import { file, part, text } from '../images/upload/form-parameters.ts';
import { importAnnotations } from './jobs/import-annotations.ts';
import { receiveAnnotations } from './receive-annotations.ts';
import { importFormats } from './source/import-source.ts';

/** Like those of exports. */
const names = importFormats.map((format) => exportFormatNames[format]);

const flag = (description: string) =>
  parameter(
    z
      .preprocess(
        (sent) => (typeof sent === 'string' ? sent.trim().toLowerCase() : sent),
        z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
      )
      .meta({ type: 'string', enum: ['true', 'false'] }),
    { in: 'body', description, unusable: 'VALIDATION_ERROR' },
  );

const importRequest = z.object({
  'Idempotency-Key': idempotencyKey(
    'The same file with the same key starts no second import for 24 hours.',
    'labels-4711',
  ),
  projectId: idParameter('body', 'The project.'),
  File: part(file, 'JSON of COCO or Label Studio, or a ZIP archive; at most 256 MiB.', {
    format: 'binary',
    required: true,
  }),
  FileName: part(text, 'Name of the file, for its problems; that of its part when left out.'),
  Format: parameter(
    z
      .preprocess(
        (sent) =>
          typeof sent === 'string'
            ? (importFormats.find(
                (format) => exportFormatNames[format].toLowerCase() === sent.trim().toLowerCase(),
              ) ?? sent)
            : sent,
        z.enum(importFormats, { error: `is none of ${names.join(', ')}` }).optional(),
      )
      .meta({ enum: names }),
    {
      in: 'body',
      description: 'What to read of the file; what it looks like when left out.',
      unusable: 'VALIDATION_ERROR',
    },
  ),
  DryRun: flag('true: say what would happen, and change nothing.'),
  AllowUnmatched: flag('true: leave out images that the project does not have.'),
});

export const annotationImportRoutes: readonly Route[] = [
  fileRoute({
    method: 'POST',
    path: '/api/Projects/importAnnotations',
    operation: 'importAnnotations',
    summary:
      'Reads annotations of COCO, YOLO, Pascal VOC or Label Studio into a project, in the background; returns the id of the job, which GraphQL follows. multipart/form-data: projectId, File. An extension.',
    request: importRequest,
    body: { mediaTypes: ['multipart/form-data'] },
    answer: jsonAnswer(guidEnvelope, envelopeOf(EXAMPLE_ID), {
      headers: { 'Idempotent-Replayed': 'true when the key came before.' },
    }),
    errors: [
      'INVALID_ID',
      'PROJECT_NOT_FOUND',
      'FORBIDDEN',
      'FILE_NAME_REQUIRED',
      'NAME_TOO_LONG',
      'VALIDATION_ERROR',
      'RATE_LIMITED',
    ],
    transfer: true,
    receive: receiveAnnotations,
    run: async (ctx, form) => {
      const { created, replayed } = await importAnnotations(ctx, {
        projectId: form.projectId,
        file: form.File ?? undefined,
        fileName: form.FileName,
        format: form.Format ?? null,
        dryRun: form.DryRun === 'true',
        allowUnmatched: form.AllowUnmatched === 'true',
        idempotencyKey: form['Idempotency-Key'],
      });
      return presentData(created.id, replayed ? { 'idempotent-replayed': 'true' } : {});
    },
    explain: () => ({
      steps: [{ field: 'node', args: { id: encodeGlobalId('AnnotationImport', EXAMPLE_ID) } }],
      select: '... on AnnotationImport { state progress problemsCount }',
      notes: [
        'Files stay with this REST path, which streams. GraphQL follows the job: put its id, of which the envelope has the uuid, in place of this one.',
        nullInGraphQL,
      ],
    }),
  }),
];
