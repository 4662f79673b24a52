import { signedIn } from '../../auth/guards.ts';
import { NotFoundError } from '../../core/errors.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { cancelAnnotationImport } from './jobs/cancel-annotation-import.ts';
import type { AnnotationImport } from './jobs/load-annotation-import.ts';
import { AnnotationImportRef } from './schema.ts';

const CancelAnnotationImportInput = mutationInput('CancelAnnotationImportInput', {
  description: 'The import to stop, one of yours.',
  fields: (t) => ({
    jobId: t.id({ required: true, description: 'Global id of the job.' }),
  }),
});
const CancelAnnotationImportPayload = mutationPayload<{ job: AnnotationImport }>(
  'CancelAnnotationImportPayload',
  {
    description: 'Result of cancelling an import of annotations.',
    fields: (t) => ({
      job: t.expose('job', {
        type: AnnotationImportRef,
        description: 'The job: CANCELLED, or unchanged if it had already ended.',
      }),
    }),
  },
);
mutation('cancelAnnotationImport', {
  description:
    'Stops one of your imports. Images that it has written keep their annotations; an import that has ended keeps its state.',
  input: CancelAnnotationImportInput,
  inputIs: 'The job.',
  payload: CancelAnnotationImportPayload,
  failures: [NotFoundError],
  resolve: async (input, ctx) => ({
    job: await cancelAnnotationImport(signedIn(ctx), {
      jobId: decodeId('AnnotationImport', input.jobId),
    }),
  }),
});
