import { GatewayError, send, type Gateway } from './gateway.ts';

/** Sends a GraphQL document; returns `data`. Throws GatewayError with the codes of errors. */
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
  const body: unknown = await response.json().catch(() => undefined);
  const errors = at(body, 'errors');
  if (Array.isArray(errors))
    throw new GatewayError(
      String(at(errors[0], 'message')),
      errors.map((error) => String(at(at(error, 'extensions'), 'code'))),
    );
  return at(body, 'data');
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
    found =
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([key]) => key === name)?.[1]
        : undefined;
  return found;
}
