import { signedIn } from '../../auth/guards.ts';
import { NotFoundError } from '../../core/errors.ts';
import { builder } from '../../core/graphql/builder.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { asSent, returnedAsSent } from '../envelope/schema-errors.ts';
import { cancelAnnotationImport } from './jobs/cancel-annotation-import.ts';
import type { AnnotationImport } from './jobs/load-annotation-import.ts';
import { AnnotationImportRef } from './schema.ts';

const CancelAnnotationImportInput = builder.inputType('CancelAnnotationImportInput', {
  description: 'The import to stop, one of yours.',
  fields: (t) => ({
    jobId: t.id({ required: true, description: 'Global id of the job.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const CancelAnnotationImportPayload = builder
  .objectRef<{ job: AnnotationImport; clientMutationId: string | null | undefined }>(
    'CancelAnnotationImportPayload',
  )
  .implement({
    description: 'Result of cancelling an import of annotations.',
    fields: (t) => ({
      job: t.expose('job', {
        type: AnnotationImportRef,
        description: 'The job: CANCELLED, or unchanged if it had already ended.',
      }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
builder.mutationField('cancelAnnotationImport', (t) =>
  t.field({
    type: CancelAnnotationImportPayload,
    description:
      'Stops one of your imports. Images that it has written keep their annotations; an import that has ended keeps its state.',
    errors: {
      types: [NotFoundError],
      union: {
        name: 'CancelAnnotationImportResult',
        description: 'Outcome of cancelAnnotationImport.',
      },
    },
    args: {
      input: t.arg({ type: CancelAnnotationImportInput, required: true, description: 'The job.' }),
    },
    resolve: async (_, { input }, ctx) => ({
      job: await cancelAnnotationImport(signedIn(ctx), {
        jobId: decodeId('AnnotationImport', input.jobId),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
