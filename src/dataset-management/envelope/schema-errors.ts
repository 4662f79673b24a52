import { builder } from '../../core/graphql/builder.ts';
import {
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { UserError } from '../../core/graphql/user-errors.ts';
import { EncryptionError } from './dataset-errors.ts';

builder.objectType(EncryptionError, {
  name: 'EncryptionError',
  description: 'A rule of encrypted workspaces is broken.',
  interfaces: [UserError],
});

/** DRAFT, then PUBLISHED for good. */
export const PublishStatusEnum = builder.enumType('PublishStatus', {
  description: 'State of a dataset or project. REST: Draft, Published.',
  values: {
    DRAFT: { description: 'Can still change.' },
    PUBLISHED: { description: 'Its images are frozen.' },
  } as const,
});

/** What nearly every change can answer. */
export const changeErrors = [ValidationError, NotFoundError, ForbiddenError];

/** What nearly every creation can answer. */
export const creationErrors = [...changeErrors, IdempotencyError];

/** The input and payload field that Relay clients know. */
export const asSent = 'As it was sent.';
export const returnedAsSent = 'Returned as it was sent.';

export interface Deletion {
  deletedId: string;
  undoToken: string;
  clientMutationId: string | null | undefined;
}

/** Payload of every deletion. */
export const DeletePayload = builder.objectRef<Deletion>('DeletePayload').implement({
  description: 'It is deleted.',
  fields: (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'The global id that was sent.' }),
    undoToken: t.exposeString('undoToken', {
      description: 'Brings it back within 30 days: mutation undoDelete.',
    }),
    clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: asSent }),
  }),
});
