import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput } from '../../core/graphql/mutations.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { DeletePayload } from '../envelope/schema-errors.ts';
import { deleteImage } from './delete-image.ts';

const DeleteImageInput = mutationInput('DeleteImageInput', {
  description: 'The image to delete.',
  fields: (t) => ({
    imageId: t.id({ required: true, description: 'Global id of the image.' }),
  }),
});
mutation('deleteImage', {
  description: 'Deletes an image of a draft dataset. REST: POST /api/Images/delete.',
  input: DeleteImageInput,
  inputIs: 'The image.',
  payload: DeletePayload,
  failures: [NotFoundError, ForbiddenError],
  resolve: async (input, ctx) => ({
    deletedId: input.imageId,
    undoToken: await deleteImage(signedIn(ctx), {
      imageId: decodeId('DatasetImage', input.imageId, 'Image'),
    }),
  }),
});
