import type { IncomingMessage } from 'node:http';
import { setImmediate as otherWork } from 'node:timers/promises';
import { AppError, unsupportedMediaType } from '../../core/errors.ts';
import { isNestedDeeper, isRecord } from '../../core/json-values.ts';
import type { RestBody } from '../../core/rest/route.ts';
import { limitParallel } from '../../core/turns/limit.ts';

/** Largest body of a REST or GraphQL request that is read into memory, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * From this many bytes on, one body is passed on in each turn of the event loop, so that others are answered in between:
 * parsing a large one takes a tenth of a second and more.
 */
const LARGE = 65_536;
const inTurn = limitParallel(1);

export const tooLarge = (): AppError =>
  new AppError('E903', { message: `The body is larger than ${MAX_BODY_BYTES} bytes` });

/** Throws E903 (415) for a body that is compressed, or encoded in another way. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupportedMediaType('Encoded bodies are not supported', {
      'accept-encoding': 'identity',
    });
}

/** Deepest nesting of a JSON body, as of a GraphQL variable: recursion over deeper values could overflow the stack. */
const MAX_DEPTH = 50;

/** Most fields of a form or a JSON object: an answer may have to name each that is unknown. */
const MAX_FIELDS = 1_000;

/** Reads a whole body. Throws E903 (413) beyond the limit; counts what arrives, whatever Content-Length says. */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(tooLarge());
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuse();
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk);
      request.off('data', take).pause();
      refuse();
    };
    const miss = (): void =>
      reject(new AppError('E900', { message: 'The request did not arrive whole' }));
    if (request.destroyed) return miss();
    request.on('data', take).once('error', miss).once('close', miss);
    request.once('end', () => {
      request.off('close', miss);
      const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve(size < LARGE ? bytes : inTurn(() => otherWork(bytes)));
    });
  });
}

/**
 * Reads a body as JSON or as a form. Throws E903 (415) for another media type or an encoded body, E900 for broken
 * UTF-8, too many fields, or JSON that is broken or nested too deep.
 */
export async function readRestBody(request: IncomingMessage): Promise<RestBody> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { kind: 'form', form: new URLSearchParams() };
  refuseEncoded(request);
  return parseRestBody(request.headers['content-type'] ?? '', decodeBody(bytes));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const notUtf8 = (): AppError => new AppError('E900', { message: 'The body is not valid UTF-8' });

/**
 * The text of a body, without a byte order mark. Throws E900 for broken UTF-8: other decoders write U+FFFD in its place,
 * which would be stored.
 */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

/** Throws E900 for a form whose percent escapes are broken UTF-8, such as `%E9` of Latin-1. */
export function checkEscapes(form: string): void {
  try {
    for (const [escapes] of form.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(escapes);
  } catch {
    throw notUtf8();
  }
}

/**
 * Parses a body by its media type. Throws E903 (415) for anything but JSON and forms, E900 for escapes of broken UTF-8,
 * too many fields, or JSON that is broken or nested too deep.
 */
export function parseRestBody(contentType: string, text: string): RestBody {
  const mediaType = mediaTypeOf(contentType);
  if (text === '') return { kind: 'form', form: new URLSearchParams() };
  if (mediaType === 'application/x-www-form-urlencoded') {
    checkEscapes(text);
    const form = new URLSearchParams(text);
    checkFields(form.size);
    return { kind: 'form', form };
  }
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw unsupportedMediaType('Send application/json or application/x-www-form-urlencoded');
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AppError('E900', { message: 'The body is not valid JSON' });
  }
  if (isRecord(json)) checkFields(Object.keys(json).length);
  if (isNestedDeeper(json, MAX_DEPTH))
    throw new AppError('E900', { message: `The body is nested deeper than ${MAX_DEPTH} levels` });
  return { kind: 'json', json };
}

function checkFields(count: number): void {
  if (count > MAX_FIELDS)
    throw new AppError('E900', { message: `The body has more than ${MAX_FIELDS} fields` });
}

/** The media type in a Content-Type, without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}
