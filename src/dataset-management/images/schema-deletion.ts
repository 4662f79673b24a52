import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { ForbiddenError, NotFoundError } from '../../core/errors.ts';
import { decodeId } from '../envelope/decode-id.ts';
import { DeletePayload, returnedAsSent } from '../envelope/schema-errors.ts';
import { deleteImage } from './delete-image.ts';

const DeleteImageInput = builder.inputType('DeleteImageInput', {
  description: 'The image to delete.',
  fields: (t) => ({
    imageId: t.id({ required: true, description: 'Global id of the image.' }),
    clientMutationId: t.string({ description: returnedAsSent }),
  }),
});
builder.mutationField('deleteImage', (t) =>
  t.field({
    type: DeletePayload,
    description: 'Deletes an image of a draft dataset. REST: POST /api/Images/delete.',
    errors: {
      types: [NotFoundError, ForbiddenError],
      union: { name: 'DeleteImageResult', description: 'Outcome of deleteImage.' },
    },
    args: { input: t.arg({ type: DeleteImageInput, required: true, description: 'The image.' }) },
    resolve: async (_, { input }, ctx) => ({
      deletedId: input.imageId,
      undoToken: await deleteImage(signedIn(ctx), {
        imageId: decodeId('DatasetImage', input.imageId, 'Image'),
      }),
      clientMutationId: input.clientMutationId,
    }),
  }),
);
