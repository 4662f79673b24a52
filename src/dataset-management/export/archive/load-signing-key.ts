import { createPrivateKey, createPublicKey, hkdfSync, randomBytes, sign } from 'node:crypto';
import DataLoader from 'dataloader';
import { perRequest, type Context, type Services } from '../../../core/context/context.ts';
import type { RowOf } from '../../../core/sql/types.ts';
import { signingSecrets } from '../selection/exports.sql.ts';

/** The key with which the gateways of an installation sign the archives of one workspace. */
export interface SigningKey {
  /** Ed25519, base64 of 32 bytes. */
  publicKey: string;
  /** The signature of a text, base64 of 64 bytes; the same each time. */
  sign(text: string): string;
}

/** What stands before the 32 bytes of a private key of Ed25519 in its format PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private keys of workspaces, for all of a request in one statement. */
const seeds = perRequest(
  (ctx: Context) =>
    new DataLoader<string, Uint8Array>(async (ids) => {
      const rows = await readSecrets(ctx, ids);
      const moved = new Map(rows.map(({ workspaceId, signingSeed }) => [workspaceId, signingSeed]));
      const secret = rows[0]?.secret;
      if (!secret) throw new Error('the installation has no secret');
      return ids.map((id) => moved.get(id) ?? signingSeed(secret, id));
    }),
);

/**
 * The signing key of a workspace: derived from the secret of the installation, so that all gateways of a database have
 * the same, and a backup has it too; or that which came with the workspace from another installation.
 */
export async function loadSigningKey(ctx: Context, workspaceId: string): Promise<SigningKey> {
  const seed = await seeds(ctx).load(workspaceId);
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-32).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

/** The private key of a workspace (HKDF with its id as salt): nobody who knows one learns another. */
export function signingSeed(secret: Uint8Array, workspaceId: string): Buffer {
  const salt = Buffer.from(workspaceId.replaceAll('-', ''), 'hex');
  return Buffer.from(hkdfSync('sha256', secret, salt, 'trivium archive signature 1', 32));
}

/** The secret of the installation with the keys that came from others; the first who asks makes the secret. */
async function readSecrets(
  ctx: Context,
  workspaceIds: readonly string[],
): Promise<RowOf<typeof signingSecrets.row>[]> {
  const found = await signingSecrets.rows(ctx.db, { workspaceIds });
  if (found.length > 0) return found;
  await makeSecret(ctx);
  return signingSecrets.rows(ctx.db, { workspaceIds });
}

/** Makes the secret of the installation, unless it has one. */
export async function makeSecret({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const row = { id: 1, secret: randomBytes(32), createdAt: new Date(clock()) };
  await db.prisma.installationSecret.createMany({ data: [row], skipDuplicates: true });
}
