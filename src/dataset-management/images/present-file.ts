import { Readable } from 'node:stream';
import type { SignedInContext } from '../../core/context/context.ts';
import { SESSION_HEADERS } from '../../core/rest/etag.ts';
import type { RestReply, RestRequest } from '../../core/rest/route.ts';
import { BlobMissingError } from '../../core/context/storage.ts';
import { countTransfer } from '../content/count-transfer.ts';
import type { StoredBytes } from './image.ts';
import { parseRange } from './parse-range.ts';

export interface FileReply {
  /** Name of the object for the log, in case the storage has lost its file. */
  of: string;
  bytes: StoredBytes;
  contentType: string;
  fileName: string;
  cacheControl: string;
  headers?: Record<string, string>;
}

/**
 * Answers with stored bytes: entity tag, conditional request, one range (resumable), a safe file name. Throws when the
 * storage has lost them, before anything is sent; E902 while the user is sent too many files.
 */
export async function presentFile(
  ctx: SignedInContext,
  request: Pick<RestRequest, 'headers'>,
  file: FileReply,
): Promise<RestReply> {
  const { sha256, byteSize, storageKey } = file.bytes;
  const etag = `"${sha256}"`;
  const headers: Record<string, string> = {
    etag,
    'cache-control': file.cacheControl,
    vary: SESSION_HEADERS,
    'accept-ranges': 'bytes',
    'content-type': file.contentType,
    'content-disposition': dispositionOf(file.fileName),
    'content-security-policy': "default-src 'none'; sandbox",
    ...file.headers,
  };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  const ifRange = request.headers['if-range'];
  const range =
    ifRange === undefined || ifRange === etag
      ? parseRange(request.headers.range, byteSize)
      : undefined;
  if (range === 'unsatisfiable')
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${byteSize}` },
      body: '',
    };
  const { start, end } = range ?? { start: 0, end: byteSize - 1 };
  const size = end - start + 1;
  const countOff = countTransfer(ctx, 'downloads');
  const body = await startReading(ctx.storage.get(storageKey, { start, end }), {
    size,
    of: file.of,
  }).catch((error: unknown) => {
    countOff();
    throw error instanceof BlobMissingError
      ? new Error(`the storage has lost the file of ${file.of}`, { cause: error })
      : error;
  });
  body.once('close', countOff);
  const length = { 'content-length': String(size) };
  return range
    ? {
        status: 206,
        headers: { ...headers, ...length, 'content-range': `bytes ${start}-${end}/${byteSize}` },
        body,
      }
    : { headers: { ...headers, ...length }, body };
}

/**
 * Reads the first piece at once, so that a missing or empty object is an error and not a truncated reply. One that ends early
 * fails, which cuts the reply off: its client would wait for the rest.
 */
async function startReading(
  source: AsyncIterable<Uint8Array>,
  { size, of }: { size: number; of: string },
): Promise<Readable> {
  const pieces = source[Symbol.asyncIterator]();
  let read = 0;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const piece = await pieces.next();
    if (!piece.done) read += piece.value.byteLength;
    else if (read < size) throw new Error(`the storage has ${read} bytes of ${of}, not ${size}`);
    return piece;
  };
  const first = await next();
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    for (let piece = first; !piece.done; piece = await next()) yield piece.value;
  };
  // Not at the end of `rest`: it never begins where nobody reads, as after HEAD.
  return Readable.from(rest(), { objectMode: false }).once(
    'close',
    () => void pieces.return?.()?.catch(() => undefined),
  );
}

/** RFC 6266: a plain name for old clients and the true one in UTF-8. */
function dispositionOf(fileName: string): string {
  const plain =
    fileName
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]/g, '')
      .replace(/["\\%]/g, '_')
      .trim() || 'image';
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function matches(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' ||
      header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
  );
}
