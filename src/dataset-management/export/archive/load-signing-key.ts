import { createPrivateKey, createPublicKey, hkdfSync, randomBytes, sign } from 'node:crypto';
import { perRequest, type Context } from '../../../core/context/context.ts';

/** The key with which the gateways of an installation sign the archives of one workspace. */
export interface SigningKey {
  /** Ed25519, base64 of 32 bytes. */
  publicKey: string;
  /** The signature of a text, base64 of 64 bytes; the same each time. */
  sign(text: string): string;
}

/** What stands before the 32 bytes of a private key of Ed25519 in its format PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Read once in a request. */
const secretOf = perRequest((ctx: Context) => {
  let read: Promise<Uint8Array> | undefined;
  return () => (read ??= readSecret(ctx));
});

/**
 * The signing key of a workspace: derived from the secret of the installation (HKDF with the workspace's id as salt), so
 * that all gateways of a database have the same, and a backup has it too. Nobody who knows one learns another.
 */
export async function loadSigningKey(ctx: Context, workspaceId: string): Promise<SigningKey> {
  const salt = Buffer.from(workspaceId.replaceAll('-', ''), 'hex');
  const secret = await secretOf(ctx)();
  const seed = hkdfSync('sha256', secret, salt, 'trivium archive signature 1', 32);
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(seed)]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-32).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

/** The secret of the installation; the first who asks makes it. */
async function readSecret(ctx: Context): Promise<Uint8Array> {
  const { installationSecret } = ctx.db.prisma;
  const found = await installationSecret.findFirst();
  if (found) return found.secret;
  const row = { id: 1, secret: randomBytes(32), createdAt: new Date(ctx.clock()) };
  await installationSecret.createMany({ data: [row], skipDuplicates: true });
  return (await installationSecret.findFirstOrThrow()).secret;
}
