import { builder } from '../../core/graphql/builder.ts';
import {
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { mutationPayload } from '../../core/graphql/mutations.ts';
import { UserError } from '../../core/graphql/user-errors.ts';
import { EncryptionError } from './dataset-errors.ts';

builder.objectType(EncryptionError, {
  name: 'EncryptionError',
  description: 'The input breaks a rule of encrypted workspaces.',
  interfaces: [UserError],
});

/** DRAFT, then PUBLISHED: a dataset for good, a project until it is a draft again. */
export const PublishStatusEnum = builder.enumType('PublishStatus', {
  description: 'Whether a dataset or project has been published.',
  values: {
    DRAFT: {
      description:
        'Not published: the images of a dataset, and the classes of a project, can still change. REST: Draft.',
    },
    PUBLISHED: {
      description:
        'The images of a dataset are frozen, for good; the classes of a project keep their names until it is a draft again. REST: Published.',
    },
  } as const,
});

/** Failures of nearly every change. */
export const changeErrors = [ValidationError, NotFoundError, ForbiddenError];

/** Failures of nearly every creation. */
export const creationErrors = [...changeErrors, IdempotencyError];

interface Deletion {
  deletedId: string;
  undoToken: string;
}

/** Payload of every deletion. */
export const DeletePayload = mutationPayload<Deletion>('DeletePayload', {
  description: 'Result of deleting an object.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'The global id that was sent.' }),
    undoToken: t.exposeString('undoToken', {
      description: 'Token for the mutation undoDelete, which restores the object within 30 days.',
    }),
  }),
});
