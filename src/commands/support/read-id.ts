import { parseUuid } from '../../core/uuid.ts';
import { UsageError } from './usage-error.ts';

/** The id in an argument, in lower case. Throws UsageError, which says of what it is none. */
export function readId(text: string, of: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new UsageError(`${text}: is not the id of a ${of}`);
  return id;
}
