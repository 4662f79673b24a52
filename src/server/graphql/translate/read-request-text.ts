import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../core/errors.ts';
import { MAX_TARGET } from '../../http/parse-target.ts';
import { parseCurl, type WrittenRequest } from './parse-curl.ts';

/** Longest accepted text with its body, on the command line or apart. */
const MAX_TEXT = 100_000;

/** The headers of a request that matter for its meaning, not only for identifying its sender. */
const telling = ['prefer', 'x-resume-cursor', 'api-version', 'content-type'] as const;

/**
 * Parses a URL, a path, a line such as `GET /path`, or a whole curl command line. Throws E900 with a message for
 * people.
 */
export function readRequestText(
  text: string,
  given: { method?: string | undefined; body?: string | undefined },
): WrittenRequest {
  const trimmed = text.trim();
  const body = given.body ?? '';
  const characters = trimmed.length + body.length;
  if (characters > MAX_TEXT)
    throw new AppError('E900', {
      message: `The text has ${characters} characters; ${MAX_TEXT} are read at most, and no path takes a URL of more than ${MAX_TARGET}`,
    });
  if (trimmed === '')
    throw new AppError('E900', {
      message: 'Paste a URL, a path such as /task/v1/feeds/list, or a curl command line',
    });
  if (/^(\$\s+)?curl(\.exe)?\s/.test(trimmed)) return parseCurl(trimmed.replace(/^\$\s+/, ''));
  const [, method, url] = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\s+(\S.*)$/is.exec(trimmed) ?? [
    undefined,
    given.method,
    trimmed,
  ];
  return {
    method: (method || (body === '' ? 'GET' : 'POST')).toUpperCase(),
    url: url.replace(/^(\S+)\s+HTTP\/[\d.]+$/, '$1'),
    headers: {},
    body,
  };
}

/** Path (below BASE_PATH) and query in a URL of this gateway. Throws E900 for another host and for an invalid URL. */
export function locate(
  url: string,
  own: { baseUrl: string; basePath: string },
): { pathname: string; query: URLSearchParams } {
  const text = url.trim();
  if (text.length > MAX_TARGET)
    throw new AppError('E900', {
      message: `The URL has ${text.length} characters; no path takes more than ${MAX_TARGET}`,
    });
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (
    /\s/.test(text) ||
    (!absolute && !text.startsWith('/')) ||
    text.startsWith('//') ||
    !URL.canParse(text, own.baseUrl)
  ) {
    throw new AppError('E900', {
      message:
        'This is not a URL: paste one that begins with http:// or https://, or a path that begins with /',
    });
  }
  const { host, pathname, search } = new URL(text, own.baseUrl);
  const ownHost = new URL(own.baseUrl).host;
  if (absolute && host !== ownHost) {
    throw new AppError('E900', {
      message: `The URL is of the host ${host}, this gateway is ${ownHost}: paste the path alone, ${`${pathname}${search}`.slice(0, 200)}`,
    });
  }
  const below =
    own.basePath !== '' && pathname.startsWith(`${own.basePath}/`)
      ? pathname.slice(own.basePath.length)
      : pathname;
  return { pathname: below, query: new URLSearchParams(search) };
}

/** The headers of a written request that matter for its meaning. */
export function tellingHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    telling.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

/** The text, of which the end may be missing, without the values of headers, options and fields that contain secrets. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(
      /((?:x-service-csrf-token-x|authorization|api-key|cookie)\s*[:=]\s*)[^'"\r\n]*/gi,
      '$1…',
    )
    .replaceAll(/((?:password|id_token)["']?\s*[:=]\s*["']?)[^&"'\r\n]*/gi, '$1…')
    .replaceAll(/(\s(?:-[ub]|--user|--cookie)[\s=]*)(?:'[^']*'?|"[^"]*"?|\S+)/g, '$1…');
}
