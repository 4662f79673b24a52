import { UsageError } from '../support/usage-error.ts';

/**
 * The address of a gateway, without slashes at its end; `from` says where it was given. Throws UsageError; what may hold a
 * password is not repeated.
 */
export function gatewayAddress(from: string, text: string): string {
  if (/[@?#]/.test(text))
    throw new UsageError(`${from}: an address of a gateway has no user, query or fragment`);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${from}: ${text} is no address of a gateway`);
  return text.replace(/(?<!\/)\/+$/, '');
}

/** The token of a session; `from` says where it was given. Throws UsageError for what no header can have. */
export function sessionToken(from: string, text: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`${from}: it holds no token of a session`);
  return token;
}

/** A `fetch` whose failure names the gateway that it did not reach. */
export function reachingFetch(address: string, fetch: typeof globalThis.fetch): typeof fetch {
  return async (target, init) => {
    try {
      return await fetch(target, init);
    } catch (error) {
      throw error instanceof TypeError ? new UnreachableError(address, error) : error;
    }
  };
}

/** Nobody listens where the gateway should be, or the connection broke. */
class UnreachableError extends Error {
  override name = 'UnreachableError';
  /** The system's word for it, so that no stack is printed. */
  readonly code = 'ENOTCONN';

  constructor(address: string, { cause, message }: Error) {
    super(`the gateway ${address} can not be reached: ${reasonOf(cause) ?? message}`);
  }
}

/** A host name with several addresses fails with one error for each, and without words of its own. */
function reasonOf(cause: unknown): string | undefined {
  const one: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return one instanceof Error ? one.message : undefined;
}
