import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { encodeGlobalId } from '../../core/global-id.ts';
import { typenames } from '../content/delete-softly.ts';
import { undoDelete } from './undo-delete.ts';

const UndoDeleteInput = mutationInput('UndoDeleteInput', {
  description: 'The deletion to undo.',
  fields: (t) => ({
    undoToken: t.string({
      required: true,
      description: 'Token that the deletion returned, here or as the header X-Undo-Token.',
    }),
  }),
});
const UndoDeletePayload = mutationPayload<{ restoredId: string }>('UndoDeletePayload', {
  description: 'Result of undoing a deletion.',
  fields: (t) => ({
    restoredId: t.exposeID('restoredId', { description: 'Global id of the restored object.' }),
  }),
});
mutation('undoDelete', {
  description:
    'Restores a workspace, dataset, image, project or version of a dataset that was deleted in the last 30 days.',
  input: UndoDeleteInput,
  inputIs: 'The deletion.',
  payload: UndoDeletePayload,
  failures: [NotFoundError, ForbiddenError, ValidationError],
  resolve: async (input, ctx) => {
    const { kind, id } = await undoDelete(signedIn(ctx), input);
    return { restoredId: encodeGlobalId(typenames[kind], id) };
  },
});
