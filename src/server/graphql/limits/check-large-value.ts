import { coerceInputValue, type GraphQLError, type GraphQLInputType } from 'graphql';
import { refusal } from './refusal.ts';

/** Most characters, items and fields of a value that the executor's errors may repeat. */
const LARGE = 2_000;

const MOST_OF_MESSAGE = 300;

/**
 * Refuses a large value that is none of its type, with the first fault alone. The executor writes the value into each of
 * up to fifty errors: a megabyte became 45 of them, or took ten seconds.
 */
export function checkLargeValue(
  name: string,
  type: GraphQLInputType,
  value: unknown,
): GraphQLError | undefined {
  if (!isLarge(value)) return undefined;
  let fault: GraphQLError | undefined;
  const found = (path: readonly (string | number)[], _: unknown, error: GraphQLError): never => {
    const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    const message = error.message.slice(0, MOST_OF_MESSAGE);
    fault = refusal(
      `Variable "$${name}${place}" got an invalid value; ${message}`,
      'BAD_USER_INPUT',
    );
    Object.assign(fault.extensions, error.extensions);
    throw fault;
  };
  try {
    coerceInputValue(value, type, found);
  } catch (error) {
    if (error !== fault) throw error;
  }
  return fault;
}

/** Counts no further than it needs. */
function isLarge(value: unknown): boolean {
  let left = LARGE;
  const spends = (one: unknown): boolean => {
    left -= typeof one === 'string' ? one.length : 1;
    if (left < 0) return true;
    if (one === null || typeof one !== 'object') return false;
    if (Array.isArray(one)) return one.length > left || one.some(spends);
    return Object.entries(one).some(([key, member]) => {
      left -= key.length;
      return spends(member);
    });
  };
  return spends(value);
}
