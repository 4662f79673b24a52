import type { CryptoKey, JWK, JWSHeaderParameters } from 'jose';
import { isRecord } from '../../core/json-values.ts';
import { fetchJson, UnusableDocumentError } from './fetch-json.ts';

/** Finds the key that the header of a token names; undefined if there is none, or more than one. */
export type LocalJWKSet = (header: JWSHeaderParameters) => Promise<CryptoKey | undefined>;

/** Kinds of keys that are public. */
const KINDS: readonly unknown[] = ['RSA', 'EC', 'OKP'];

/** Most keys of a set. */
const MOST_KEYS = 100;

/**
 * Reads the public keys of a provider. Throws UnusableDocumentError for what is no key set, or is larger than any in
 * earnest; any other error means that the provider does not answer.
 */
export async function readKeys(url: string): Promise<LocalJWKSet> {
  const { createLocalJWKSet, errors } = await import('jose');
  const find = createLocalJWKSet({ keys: publicKeysOf(await fetchJson(url)) });
  return async (header) => {
    try {
      return await find(header);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      // A key that is none, such as one with numbers of no curve.
      if (error instanceof DOMException || error instanceof TypeError) return undefined;
      throw error;
    }
  };
}

/** Without keys that are no secret of the provider alone: whoever reads them could sign with them. */
function publicKeysOf(document: unknown): JWK[] {
  const keys = isRecord(document) ? document['keys'] : undefined;
  if (!Array.isArray(keys)) throw new UnusableDocumentError('no list of keys');
  if (keys.length > MOST_KEYS) throw new UnusableDocumentError(`more than ${MOST_KEYS} keys`);
  return keys.filter(isPublicKey);
}

function isPublicKey(key: unknown): key is JWK {
  return isRecord(key) && KINDS.includes(key['kty']);
}
