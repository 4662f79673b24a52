import { isLonger } from '../../../core/text.ts';
import { refusal } from '../../envelope/dataset-errors.ts';

/** Bytes in UTF-8 that a path may have: they fit into an index. */
const MAX_BYTES = 1024;
/** Characters of one name in it. */
const MAX_NAME = 255;

/**
 * The path of a file below the folder that is uploaded, as it is stored: in Unicode's form NFC; null if there is none. It is
 * refused and not mended where it could mean another file: absolute, with empty names, `.` or `..`, backslashes, control or
 * direction characters. Throws ValidationError.
 */
export function cleanPath(given: string | null | undefined): string | null {
  if (given == null) return null;
  const path = given.normalize('NFC');
  const fault = pathFault(path);
  if (fault !== undefined) throw refusal('INVALID_PATH', 'Path', `Path ${fault}`);
  return path;
}

/** What is wrong with a path in NFC; undefined if it can be stored. */
function pathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (!path.isWellFormed() || /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(path))
    return 'has control characters';
  if (path.includes('\\')) return 'has a backslash: separate names by /';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute';
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'has an empty name, . or ..';
  if (names.some((name) => isLonger(name, MAX_NAME)))
    return `has a name of more than ${MAX_NAME} characters`;
  return Buffer.byteLength(path) > MAX_BYTES
    ? `has more than ${MAX_BYTES} bytes in UTF-8`
    : undefined;
}
