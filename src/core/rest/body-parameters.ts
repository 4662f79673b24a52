import { ValidationError } from '../errors.ts';
import type { RestBody } from './route.ts';

/** The names and values of a form or a JSON object. Throws ValidationError for other JSON. */
export function bodyEntries(body: RestBody): [string, unknown][] {
  if (body.kind === 'form') return [...body.form];
  if (typeof body.json !== 'object' || body.json === null || Array.isArray(body.json)) {
    throw new ValidationError(
      [{ path: [], message: 'the body must be a JSON object', code: 'INVALID_BODY' }],
      'The body must be a JSON object',
    );
  }
  return Object.entries(body.json);
}

/**
 * The parameters in a form or JSON body, for operations that accept them in the query or the body (D-82). A JSON list
 * counts as a comma list, null as absent.
 */
export function bodyParameters(body: RestBody): [string, string][] {
  return bodyEntries(body).flatMap(([name, value]) =>
    value === null ? [] : [[name, asText(value)]],
  );
}

/**
 * Other values (not a scalar or a list of scalars) become JSON text, which no parameter accepts; so does a list without
 * text, which as an empty one would count as absent instead of matching nothing (P3).
 */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const list = isList ? value.join(',') : '';
  return list === '' ? JSON.stringify(value) : list;
}
