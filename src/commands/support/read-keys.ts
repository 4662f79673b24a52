import { readFile } from 'node:fs/promises';
import { importKey, type WorkspaceKey } from '../../sdk/e2ee.ts';
import { UsageError } from './usage-error.ts';

/** The variable of the environment that holds keys, for those who keep none in files. */
export const KEY_VARIABLE = 'TRIVIUM_WORKSPACE_KEY';

/**
 * The keys in files, one in each, or else those in TRIVIUM_WORKSPACE_KEY, separated by blanks. Never from arguments, which
 * other users of a machine can see. Throws UsageError, which does not repeat what it read.
 */
export async function readKeys(files: readonly string[] = []): Promise<WorkspaceKey[]> {
  if (files.length > 0) return Promise.all(files.map((file) => readKey(file)));
  const texts = (process.env[KEY_VARIABLE] ?? '').split(/\s+/).filter((text) => text !== '');
  return Promise.all(texts.map((text) => keyOf(text, KEY_VARIABLE)));
}

/** The key in a file: 32 bytes, or their hexadecimal or base64 text. */
export async function readKey(file: string): Promise<WorkspaceKey> {
  const bytes = await readGivenFile(file);
  return keyOf(bytes.length === 32 ? bytes : bytes.toString().trim(), file);
}

/** The bytes of a small file that an argument names. Throws UsageError for a folder. */
export async function readGivenFile(file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EISDIR' ? new UsageError(`${file} is a folder`) : error;
  });
}

async function keyOf(key: Uint8Array | string, place: string): Promise<WorkspaceKey> {
  try {
    return await importKey(key);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${place}: ${error.message}`);
  }
}
