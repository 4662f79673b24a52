import type { IncomingHttpHeaders } from 'node:http';
import { parseArgs } from 'node:util';
import { AppError } from '../../../core/errors.ts';
import { splitShellWords, unreadable } from './split-shell-words.ts';

/** A request that somebody wrote down. */
export interface WrittenRequest {
  method: string;
  /** Path and query, or a whole URL. */
  url: string;
  /** By lower-case name. */
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * The options of curl that say what is sent. Of the others, those that take a value, so that it is not mistaken for the
 * URL.
 */
const text = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const options = {
  request: { ...text, short: 'X' },
  header: { ...text, short: 'H' },
  data: { ...text, short: 'd' },
  'data-raw': text,
  'data-ascii': text,
  'data-binary': text,
  'data-urlencode': text,
  json: text,
  form: { ...text, short: 'F' },
  'form-string': text,
  url: text,
  get: { ...flag, short: 'G' },
  head: { ...flag, short: 'I' },
  user: { ...text, short: 'u' },
  output: { ...text, short: 'o' },
  cookie: { ...text, short: 'b' },
  'cookie-jar': { ...text, short: 'c' },
  'user-agent': { ...text, short: 'A' },
  referer: { ...text, short: 'e' },
  'write-out': { ...text, short: 'w' },
  'max-time': { ...text, short: 'm' },
  proxy: { ...text, short: 'x' },
  cert: { ...text, short: 'E' },
  key: text,
  cacert: text,
  'connect-timeout': text,
  retry: text,
  resolve: text,
  silent: { ...flag, short: 's' },
  'show-error': { ...flag, short: 'S' },
  include: { ...flag, short: 'i' },
  insecure: { ...flag, short: 'k' },
  location: { ...flag, short: 'L' },
  verbose: { ...flag, short: 'v' },
  fail: { ...flag, short: 'f' },
} as const;

/** Most words of a command line, and most flags in one of them: parseArgs takes the square of both. */
const MOST_WORDS = 300;
const MOST_FLAGS = 10;

const takesValue = Object.values(options)
  .flatMap((option) => ('short' in option && option.type === 'string' ? option.short : []))
  .join('');
const tooManyFlags = new RegExp(`^-(?!-)[^${takesValue}]{${MOST_FLAGS + 1}}`);

/**
 * Parses a curl command line as a POSIX shell and curl would, as far as it says what is sent. Throws E900 for anything
 * else.
 */
export function parseCurl(line: string): WrittenRequest {
  const words = splitShellWords(line, MOST_WORDS);
  const unread = words.find((word) => tooManyFlags.test(word));
  if (unread !== undefined) throw unreadable(unread);
  const { values, positionals } = parseArgs({
    args: words.slice(1),
    options,
    strict: false,
    allowPositionals: true,
  });
  const texts = (name: string): string[] => {
    const given: unknown = values[name];
    return Array.isArray(given) ? given.filter((value) => typeof value === 'string') : [];
  };
  const [named, ...more] = [...texts('url'), ...positionals];
  if (named === undefined)
    throw new AppError('E900', { message: 'The curl command line names no URL' });
  if (more.length > 0)
    throw new AppError('E900', { message: 'The curl command line names more than one URL' });
  const url = /^(\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(named) ? named : `http://${named}`;
  const headers = Object.fromEntries(
    texts('header').flatMap((header) => {
      const colon = header.indexOf(':');
      return colon > 0
        ? [[header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim()]]
        : [];
    }),
  );
  const fields = [...texts('form'), ...texts('form-string')];
  const data = [
    ...['data', 'data-raw', 'data-ascii', 'data-binary'].flatMap(texts),
    ...[...texts('data-urlencode'), ...fields].map(encodeField),
  ];
  const json = texts('json').join('');
  if (json !== '') headers['content-type'] ??= 'application/json';
  const body = json !== '' ? json : data.join('&');
  const [method] = texts('request');
  if (values['get'] === true)
    return {
      method: method ?? 'GET',
      url: body === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${body}`,
      headers,
      body: '',
    };
  const posts = body !== '' || fields.length > 0;
  if (posts && fields.length === 0) headers['content-type'] ??= 'application/x-www-form-urlencoded';
  return {
    method: (method ?? (values['head'] === true ? 'HEAD' : posts ? 'POST' : 'GET')).toUpperCase(),
    url,
    headers,
    body,
  };
}

/** `name=value` with the value percent-encoded. */
function encodeField(field: string): string {
  const equals = field.indexOf('=');
  return equals < 0
    ? encodeURIComponent(field)
    : `${field.slice(0, equals)}${equals === 0 ? '' : '='}${encodeURIComponent(field.slice(equals + 1))}`;
}
