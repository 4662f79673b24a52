import { GatewayError, jsonOf, send, type Gateway } from './gateway.ts';

/**
 * Sends a GraphQL document; returns `data`. Throws GatewayError with the codes of errors, and for an answer without data,
 * such as that of a busy gateway or of a proxy.
 */
export async function query(
  gateway: Gateway,
  text: string,
  variables: Record<string, unknown>,
): Promise<unknown> {
  const response = await send(gateway, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  const body = await jsonOf(response);
  const errors = at(body, 'errors');
  if (Array.isArray(errors))
    throw new GatewayError(
      String(at(errors[0], 'message')),
      errors.map((error) => String(at(error, 'extensions', 'code'))),
    );
  const data = at(body, 'data');
  if (data != null) return data;
  const [message, code] = [at(body, 'response'), at(body, 'errorCode')];
  throw new GatewayError(
    typeof message === 'string' ? message : `the gateway answered ${response.status}`,
    typeof code === 'string' ? [code] : [],
  );
}

/** Sends a mutation of one field; returns its payload. Throws GatewayError for a member of its errors, too. */
export async function mutate(
  gateway: Gateway,
  field: string,
  text: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  const payload = at(await query(gateway, text, { input }), field);
  const code = at(payload, 'code');
  if (typeof code === 'string') throw new GatewayError(String(at(payload, 'message')), [code]);
  return payload;
}

/** A property of an answer, or of one inside it, or undefined. */
export function at(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return found;
}
