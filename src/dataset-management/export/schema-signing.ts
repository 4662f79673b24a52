import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';
import { loadSigningKey } from './archive/load-signing-key.ts';

builder.objectField(WorkspaceRef, 'archivePublicKey', (t) =>
  t.string({
    description:
      'Public key of the signatures in exports of this workspace: Ed25519, the base64 of 32 bytes. Keep it elsewhere, to check archives without the gateway.',
    resolve: async ({ id }, _, ctx) => (await loadSigningKey(signedIn(ctx), id)).publicKey,
  }),
);
