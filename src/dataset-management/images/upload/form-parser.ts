import { Busboy, type BusboyInstance } from '@fastify/busboy';

/** The body is not the expected form. */
export class MalformedFormError extends Error {
  override name = 'MalformedFormError';
}

const LIMITS = {
  fieldNameSize: 100,
  fieldSize: 16 * 1024,
  fields: 20,
  files: 4,
  parts: 24,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

/** Opens a parser of a multipart/form-data body with few and short parts. Throws MalformedFormError. */
export function openParser(contentType: string, files: readonly string[]): BusboyInstance {
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new MalformedFormError('the body must be multipart/form-data');
  const isPartAFile = (name: string | undefined): boolean =>
    name !== undefined && files.includes(name.toLowerCase());
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS, isPartAFile });
  } catch (error) {
    throw new MalformedFormError('the Content-Type of the form has no boundary', { cause: error });
  }
}

/** The parser throws plain errors with fixed texts. */
export function isParserError(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(Part terminated early|Unexpected end|Malformed|Unsupported|Multipart)/.test(error.message)
  );
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
