import type { IncomingMessage } from 'node:http';
import type { Config } from '../../core/context/config.ts';
import { unsupportedMediaType, type AppError } from '../../core/errors.ts';
import type { Reply } from '../../core/rest/route.ts';
import { toAppError } from '../../core/failures/to-app-error.ts';
import { readRestBody } from '../http/read-body.ts';
import { schema } from '../graphql/schema/schema.ts';
import { graphiqlTarget } from '../graphql/translate/graphiql-target.ts';
import { presentPage, type ExplainPage } from './present-page.ts';
import { withoutSecrets } from '../graphql/translate/read-request-text.ts';
import { translateRequest, type ExplainedRequest } from '../graphql/translate/translate-request.ts';
import type { SignInOffer } from '../pages/session-panel.ts';

/** Characters of a text and a body that are shown once more where they can't be translated. */
const MOST_SHOWN = { url: 20_000, body: 100_000 };

/**
 * GET /explain?url=… for links; POST for the form, whose text may contain a token and must not get into a URL. Failures
 * of the explained request are shown on the page; any other failure is thrown.
 */
export async function answerExplain(
  config: Config,
  request: IncomingMessage,
  { query, baseUrl, offer }: { query: URLSearchParams; baseUrl: string; offer: SignInOffer },
): Promise<Reply> {
  const { basePath } = config;
  const isPost = request.method === 'POST';
  const form = isPost ? await readForm(request) : query;
  const asked = {
    url: form.get('url') ?? '',
    method: form.get('method') ?? '',
    body: form.get('body') ?? '',
  };
  if (asked.url === '' && !isPost) return presentPage({ basePath, offer, form: asked }, 200);
  try {
    const explained = await translateRequest(schema, { baseUrl, basePath }, asked);
    return presentPage(
      {
        basePath,
        offer,
        form: formOf(explained),
        outcome: {
          explained,
          graphiql: graphiqlTarget(config, explained.standalone),
          link: linkOf(explained, basePath),
        },
      },
      200,
    );
  } catch (cause) {
    const error = toAppError(cause);
    if (error.code === 'E302') throw cause;
    return presentFailedPage({ basePath, offer }, error, {
      url: withoutSecrets(asked.url.slice(0, MOST_SHOWN.url)),
      method: asked.method,
      body: asked.body.slice(0, MOST_SHOWN.body),
    });
  }
}

/** The page for a request that can't be parsed, let alone translated. */
export function presentFailedPage(
  at: Pick<ExplainPage, 'basePath' | 'offer'>,
  error: AppError,
  form: ExplainPage['form'] = { url: '', method: '', body: '' },
): Reply {
  const page = presentPage(
    { ...at, form, outcome: { failure: error.message } },
    error.status >= 400 && error.status < 500 ? error.status : 400,
  );
  return { ...page, headers: { ...error.headers, ...page.headers } };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readRestBody(request);
  if (body.kind !== 'form') throw unsupportedMediaType('Send a form');
  return body.form;
}

/** The form with the request in short, and without secrets. */
function formOf({ route, method, target, headers, body }: ExplainedRequest): ExplainPage['form'] {
  const shown = route.auth === 'none' ? '' : body;
  const special = Object.entries(headers).filter(([name]) => name !== 'content-type');
  if (special.length > 0) {
    const words = [
      ...(method === 'GET' ? [] : ['-X', method]),
      quote(target),
      ...special.flatMap(([name, value]) => ['-H', quote(`${name}: ${value}`)]),
      ...(shown === '' ? [] : ['--data-raw', quote(shown)]),
    ];
    return { url: `curl ${words.join(' ')}`, method: '', body: '' };
  }
  return {
    url: target,
    method: method === (shown === '' ? 'GET' : 'POST') ? '' : method,
    body: shown,
  };
}

/** Quotes a word for a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A link to this page for the same request; null when it would contain a body or a secret, or be too long. */
function linkOf(explained: ExplainedRequest, basePath: string): string | null {
  const { url, method, body } = formOf(explained);
  if (body !== '' || explained.body !== '' || explained.route.auth === 'none' || url.length > 2_000)
    return null;
  return `${basePath}/explain?url=${encodeURIComponent(url)}${method === '' ? '' : `&method=${method}`}`;
}
