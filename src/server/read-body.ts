import type { IncomingMessage } from 'node:http';
import { AppError } from '../core/errors.ts';
import type { RestBody } from '../core/route.ts';

/** Largest body of a REST or GraphQL request that is read into memory, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/** Reads a whole body. Throws E903 (413) beyond the limit, counting what arrives and not what Content-Length claims. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = (): AppError => new AppError('E903', { message: `The body is larger than ${MAX_BODY_BYTES} bytes` });
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a body as JSON or as a form. Throws E903 (415) for another media type or an encoded body, E900 for broken JSON or UTF-8. */
export async function readRestBody(request: IncomingMessage): Promise<RestBody> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { kind: 'form', form: new URLSearchParams() };
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new AppError('E903', { status: 415, message: 'Encoded bodies are not supported' });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('E900', { message: 'The body is not valid UTF-8' });
  }
  return parseRestBody(request.headers['content-type'] ?? '', text);
}

/** A body that was read, by its media type. Throws E903 (415) for any but JSON and forms, E900 for broken JSON. */
export function parseRestBody(contentType: string, text: string): RestBody {
  const mediaType = mediaTypeOf(contentType);
  if (text === '') return { kind: 'form', form: new URLSearchParams() };
  if (mediaType === 'application/x-www-form-urlencoded') return { kind: 'form', form: new URLSearchParams(text) };
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw new AppError('E903', { status: 415, message: 'Send application/json or application/x-www-form-urlencoded' });
  }
  try {
    return { kind: 'json', json: JSON.parse(text) as unknown };
  } catch {
    throw new AppError('E900', { message: 'The body is not valid JSON' });
  }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}
