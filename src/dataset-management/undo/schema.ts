import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { asSent, returnedAsSent } from '../envelope/schema-errors.ts';
import { undoDelete } from './undo-delete.ts';

const UndoDeleteInput = builder.inputType('UndoDeleteInput', {
  description: 'The deletion to undo.',
  fields: (t) => ({
    undoToken: t.string({
      required: true,
      description: 'Token that the deletion returned, here or as the header X-Undo-Token.',
    }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
const UndoDeletePayload = builder
  .objectRef<{ restoredId: string; clientMutationId: string | null | undefined }>(
    'UndoDeletePayload',
  )
  .implement({
    description: 'Result of undoing a deletion.',
    fields: (t) => ({
      restoredId: t.exposeID('restoredId', { description: 'Global id of the restored object.' }),
      clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
    }),
  });
const typenames = {
  workspace: 'Workspace',
  dataset: 'Dataset',
  image: 'DatasetImage',
  project: 'Project',
  version: 'DatasetVersion',
};
builder.mutationField('undoDelete', (t) =>
  t.field({
    type: UndoDeletePayload,
    description:
      'Restores a workspace, dataset, image, project or version of a dataset that was deleted in the last 30 days.',
    errors: {
      types: [NotFoundError, ForbiddenError, ValidationError],
      union: { name: 'UndoDeleteResult', description: 'Outcome of undoDelete.' },
    },
    args: { input: t.arg({ type: UndoDeleteInput, required: true, description: 'The deletion.' }) },
    resolve: async (_, { input }, ctx) => {
      const { kind, id } = await undoDelete(signedIn(ctx), input);
      return {
        restoredId: encodeGlobalId(typenames[kind], id),
        clientMutationId: input.clientMutationId,
      };
    },
  }),
);
