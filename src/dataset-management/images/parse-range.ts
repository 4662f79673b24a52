import type { ByteRange } from '../../core/context/storage.ts';

/**
 * The range that a download requests: undefined for the whole file (no header, several ranges, another unit),
 * `unsatisfiable` beyond its end.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}
