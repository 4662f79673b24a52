import type { Answer, Header, Operation, Parameter } from './document.ts';

const fields = {
  url: {
    type: 'string',
    description: 'A URL of this gateway, a path with its query, or a whole curl command line.',
  },
  method: {
    type: 'string',
    enum: ['GET', 'POST', 'DELETE'],
    description: 'As it is written in the text, or as the body says, when left out.',
  },
  body: { type: 'string', description: 'JSON or a form.' },
} as const;

const page = (
  description: string,
  headers?: Record<string, Header | { $ref: string }>,
): Answer => ({
  description,
  ...(headers && { headers }),
  content: { 'text/html': { schema: { type: 'string' } } },
});

/** The page that translates REST requests to GraphQL. */
export function describeExplain(tag: string): { get: Operation; post: Operation } {
  const common = { tags: [tag], security: [] };
  const responses = {
    '200': page('The page: operation, variables, cost, and what of the request does not count.'),
    '400': page('The page, which says why the request can not be translated.'),
    '429': page('Too many translations from this address.', {
      'Retry-After': { $ref: '#/components/headers/RetryAfter' },
    }),
  };
  const query = Object.entries(fields).map(([name, { description, ...schema }]): Parameter => ({
    name,
    in: 'query',
    description,
    schema,
    ...(name === 'url' && { example: '/task/v1/feeds/list?limit=2' }),
  }));
  return {
    get: {
      operationId: 'explainRequest',
      summary:
        'A page that says what a request is in GraphQL, and runs both; a form without a URL.',
      ...common,
      parameters: query,
      responses: { ...responses, '414': page('The URL is too long: send a form.') },
    },
    post: {
      operationId: 'explainWrittenRequest',
      summary: 'The same for a text that must not get into a URL, or is too long for one.',
      ...common,
      parameters: [],
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: fields, required: ['url'] },
            example: { url: '/task/v1/feeds/list?limit=2' },
          },
        },
      },
      responses: {
        ...responses,
        '413': page('The form is too large.'),
        '415': page('The body is no form.'),
      },
    },
  };
}
