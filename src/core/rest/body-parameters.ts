import { ValidationError } from '../errors.ts';
import type { RestBody } from './route.ts';

/** The parameters of a form or JSON body, for operations that take them from query or body alike (D-82). A JSON list counts as a comma list, null as absent. */
export function bodyParameters(body: RestBody): [string, string][] {
  if (body.kind === 'form') return [...body.form];
  if (typeof body.json !== 'object' || body.json === null || Array.isArray(body.json)) {
    throw new ValidationError(
      [{ path: [], message: 'the body must be a JSON object', code: 'INVALID_BODY' }],
      'The body must be a JSON object',
    );
  }
  return Object.entries(body.json).flatMap(([name, value]: [string, unknown]) =>
    value === null ? [] : [[name, asText(value)]],
  );
}

/** What is neither scalar nor list of scalars becomes JSON text, which no parameter takes. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) && value.every((item) => typeof item !== 'object')
    ? value.join(',')
    : JSON.stringify(value);
}
