import { hash } from 'node:crypto';
import type { Cell } from '../wire/wire.ts';
import { AppError } from '../errors.ts';
import { kinds, type SortColumn } from './sort-column.ts';

/**
 * Opaque list position: base64url of JSON `[1, order, [sort values]]`, where `order` is a digest of the order to which
 * it belongs (D-15). The same string in REST (`next_cursor`) and GraphQL (`endCursor`). Not signed: it gives access to
 * nothing that a page would not show.
 */
export function encodeCursor(order: readonly SortColumn[], values: readonly Cell[]): string {
  return Buffer.from(JSON.stringify([1, orderDigest(order), values])).toString('base64url');
}

/** The sort values in a cursor. Throws E901 when it is malformed, of another version or of another order. */
export function decodeCursor(
  order: readonly SortColumn[],
  { cursor = '', backward }: { cursor?: string | undefined; backward: boolean },
): string[] {
  const argument = backward ? 'before' : 'after';
  const unusable = (): AppError =>
    new AppError('E901', { inGraphQL: `${argument} is not a usable cursor of this list` });
  if (cursor.length > 8_000 || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw unusable();
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw unusable();
  }
  const parts: unknown[] = Array.isArray(decoded) ? decoded : [];
  const [version, digest, values] = parts;
  if (
    parts.length !== 3 ||
    version !== 1 ||
    digest !== orderDigest(order) ||
    !Array.isArray(values) ||
    values.length !== order.length
  )
    throw unusable();
  return order.map((column, index) => {
    const value: unknown = values[index];
    if (typeof value !== 'string' || !kinds[column.kind].check(value)) throw unusable();
    return value;
  });
}

const digests = new WeakMap<readonly SortColumn[], string>();

function orderDigest(order: readonly SortColumn[]): string {
  let digest = digests.get(order);
  if (digest === undefined) {
    const spec = order.map((column) => `${column.name} ${column.descending ? 'D' : 'A'}`).join(',');
    digest = hash('sha256', spec).slice(0, 8);
    digests.set(order, digest);
  }
  return digest;
}
