import { Fault } from '../core/rest/parameter-values.ts';
import { isLonger, isStorable } from '../core/text.ts';

/** A text of the task tracker. Lengths count characters, not UTF-16 units. */
export function readText(sent: unknown, maximum: number): string | Fault {
  if (typeof sent !== 'string') return new Fault('must be a string', 'WRONG_TYPE');
  if (!isStorable(sent)) return new Fault('holds a NUL or half a surrogate pair', 'UNUSABLE_TEXT');
  if (isLonger(sent, maximum))
    return new Fault(`must not be longer than ${maximum} characters`, 'TOO_LONG');
  return sent;
}
