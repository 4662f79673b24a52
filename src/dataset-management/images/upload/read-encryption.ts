import { parseUuid } from '../../../core/uuid.ts';
import { EncryptionError, refusal } from '../../envelope/dataset-errors.ts';

/** What a client says of its ciphertext, as it was sent. */
export interface EncryptionArgs {
  imageId?: string | undefined;
  keyNumber?: number | undefined;
  proof?: string | undefined;
  /** SHA-256 of the ciphertext of the same image that this one replaces. */
  replacesSha256?: string | undefined;
}

/** The same, once it was found usable. */
export interface Encryption {
  /** Undefined: any new id. */
  imageId: string | undefined;
  /** Undefined for a client that knows of one key only. */
  keyNumber: number | undefined;
  proof: string | undefined;
}

/** Reads what a client says of its ciphertext. Throws ValidationError. */
export function readEncryption({ imageId, keyNumber, proof }: EncryptionArgs = {}): Encryption {
  const id = imageId === undefined ? undefined : parseUuid(imageId);
  if (imageId !== undefined && id === undefined)
    throw refusal('INVALID_ID', 'ImageId', 'ImageId is not a UUID');
  if (proof !== undefined && !/^[A-Za-z0-9+/]{43}=$/.test(proof))
    throw refusal('VALIDATION_ERROR', 'Proof', 'Proof is not the base64 of 32 bytes');
  if (proof !== undefined && id === undefined)
    throw refusal('VALIDATION_ERROR', 'Proof', 'Proof needs ImageId, which it is made for');
  return { imageId: id, keyNumber, proof };
}

/**
 * Refuses an image under another key than the current one. Clients that know of one key only name none, which will do as
 * long as the workspace has had one key only. Throws EncryptionError.
 */
export function checkKeyNumber(
  workspace: { keyNumber: number; keysMade: number },
  given: number | undefined,
): void {
  const isRight = given === undefined ? workspace.keysMade === 1 : given === workspace.keyNumber;
  if (!isRight) throw new EncryptionError('WRONG_KEY_NUMBER');
}
