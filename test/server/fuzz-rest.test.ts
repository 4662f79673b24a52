import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route, RouteFamily, RouteParameter } from '../../src/core/rest/route.ts';
import { routes } from '../../src/server/routes/routes.ts';
import {
  fuzzRuns,
  oddJson,
  oddText,
  startFuzzWorld,
  type FuzzWorld,
} from '../support/fuzz-world.ts';

let world: FuzzWorld;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => void (world = await startFuzzWorld()));
afterAll(async () => {
  agent.destroy();
  await world.close();
});

interface OddRequest {
  target: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** As `fetch` would not send it: it tidies paths. */
function send(
  method: string,
  { target, headers, body }: OddRequest,
): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...headers, ...(body && { 'content-length': body.length }) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('latin1'),
          }),
        );
      },
    );
    request.on('error', reject).end(body);
  });
}

/** Who calls it. */
const callerOf = ({ auth }: Route): 'customer' | 'directory' | 'user' =>
  auth === 'customer' ? 'customer' : auth === 'scim' ? 'directory' : 'user';

/** What each document calls a failure. */
const isFailure: Record<RouteFamily, (json: any) => boolean> = {
  task: (json) =>
    json.status === 'ER' &&
    typeof (json.errorCode ?? json.error_code) === 'string' &&
    typeof json.response === 'string',
  dataset: (json) =>
    json.isSuccess === false &&
    json.data === null &&
    Array.isArray(json.errorCodes) &&
    json.errorCodes.length > 0 &&
    typeof json.errorMessage === 'string',
  scim: (json) =>
    json.schemas?.[0] === 'urn:ietf:params:scim:api:messages:2.0:Error' &&
    typeof json.status === 'string' &&
    typeof json.detail === 'string',
  tracker: (json) =>
    typeof json.type === 'string' &&
    typeof json.title === 'string' &&
    typeof json.status === 'number' &&
    Array.isArray(json.errors) &&
    typeof json.requestId === 'string',
};

/** Percent-encoded in one of the ways, some of them broken. */
const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: text.map((one) => encodeURIComponent(one.toWellFormed())) },
    {
      weight: 1,
      arbitrary: text.map((one) => encodeURIComponent(one.toWellFormed()).replaceAll('%', '%25')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '%',
        '%0',
        '%ff',
        '%ED%A0%80',
        '%c0%af',
        '%u0041',
        '%00',
        '%2e%2e',
        '%2F',
        '+',
        '%2B',
        ';',
        '=',
        '[]',
        '%5B%5D',
      ),
    },
  );

function requestsOf(route: Route): fc.Arbitrary<OddRequest> {
  const text = oddText(world);
  const fitting = ({ schema, example }: RouteParameter): fc.Arbitrary<string> => {
    const known = [
      example,
      schema.default,
      ...(schema.enum ?? []),
      ...(schema.type === 'integer' ? [1, 5, 2027] : []),
    ]
      .filter((value) => value !== undefined)
      .map(String);
    return known.length > 0 ? fc.constantFrom(...known) : fc.constantFrom(...world.uuids);
  };
  const valueOf = (parameter: RouteParameter): fc.Arbitrary<string> =>
    fc.oneof({ weight: 3, arbitrary: fitting(parameter) }, { weight: 2, arbitrary: text });
  const named = (place: RouteParameter['in']): RouteParameter[] =>
    route.parameters.filter(({ in: at }) => at === place);
  const inBody = [...named('body'), ...(route.body?.repeatsQuery ? named('query') : [])];

  const path = fc
    .tuple(
      ...route.path.split('/').map((segment) => {
        const parameter = named('path').find(({ name }) => segment.includes(`{${name}}`));
        return parameter
          ? encoded(valueOf(parameter)).map((value) =>
              segment.replace(/\{.*\}/, () => value || 'x'),
            )
          : fc.constant(segment);
      }),
    )
    .map((segments) => segments.join('/'));
  const pair = fc.oneof(
    ...named('query').map((parameter) =>
      encoded(valueOf(parameter)).map((value) => `${parameter.name}=${value}`),
    ),
    fc.tuple(encoded(text), encoded(text)).map(([name, value]) => `${name}=${value}`),
  );
  const required = fc.tuple(
    ...named('query')
      .filter((parameter) => parameter.required)
      .map((parameter) =>
        fitting(parameter).map((value) => `${parameter.name}=${encodeURIComponent(value)}`),
      ),
  );
  const query = fc
    .tuple(fc.oneof(required, fc.constant([])), fc.array(pair, { maxLength: 6 }))
    .map(([first, more]) => [...first, ...more].join('&').slice(0, 7_000));

  const header = text.filter((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  const headers = fc.record(
    {
      'x-explain': fc.constant('1'),
      prefer: fc.constantFrom('handling=strict', 'handling', ''),
      'idempotency-key': header,
      'api-version': fc.oneof(fc.constantFrom('1.0', '1'), header),
      'x-client-name': header,
      'if-none-match': header,
      range: fc.oneof(
        header,
        fc.constantFrom(
          'bytes=0-',
          'bytes=-1',
          'bytes=5-1',
          'bytes=0-1,2-3',
          'bytes=99999999999999999999-',
        ),
      ),
      'x-resume-cursor': header,
      accept: header,
    },
    { requiredKeys: [] },
  );

  const member = fc.oneof(
    ...inBody.map((parameter) =>
      fc
        .oneof(
          { weight: 3, arbitrary: valueOf(parameter).map((value) => JSON.stringify(value)) },
          { weight: 2, arbitrary: oddJson(text) },
        )
        .map((value): [string, string] => [parameter.name, value]),
    ),
    oddJson(text).map((value): [string, string] => ['__proto__', value]),
  );
  const whole = fc.tuple(
    ...inBody.map((parameter) =>
      fitting(parameter).map((value): [string, string] => [parameter.name, JSON.stringify(value)]),
    ),
  );
  const object = fc
    .tuple(fc.oneof(whole, fc.constant([])), fc.array(member, { maxLength: 4 }))
    .map(
      ([first, more]) =>
        `{${[...first, ...more].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`,
    );
  const boundary = 'x-boundary-x';
  const part = fc
    .tuple(
      fc.oneof(
        fc.constantFrom(
          'DatasetId',
          'FileName',
          'Image',
          'Thumbnail',
          'Width',
          'Height',
          ...inBody.map(({ name }) => name),
        ),
        text,
      ),
      fc.oneof(text, fc.constantFrom(...world.uuids)),
      fc.boolean(),
    )
    .map(
      ([name, value, file]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, '')}"${file ? '; filename="x"' : ''}\r\n\r\n${value}\r\n`,
    );
  const form = fc
    .tuple(
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom(`--${boundary}--\r\n`, '', `--${boundary}`),
    )
    .map(([parts, end]) => parts.join('') + end);
  const typed = (
    type: string,
    arbitrary: fc.Arbitrary<string>,
    weight: number,
  ): fc.WeightedArbitrary<{ type: string; body: Buffer | undefined }> => ({
    weight,
    arbitrary: arbitrary.map((body) => ({ type, body: Buffer.from(body) })),
  });
  const body = fc.oneof(
    typed('application/json', object, 8),
    typed(
      'application/json',
      oddJson(
        text,
        inBody.map(({ name }) => name),
      ),
      4,
    ),
    typed(
      'application/json',
      fc.constantFrom(
        '{',
        '{"a":',
        '\ufeff{}',
        "{'a':1}",
        '{"a":1,}',
        'NaN',
        '\u0000',
        '"\\ud800"',
      ),
      1,
    ),
    typed(
      'application/x-www-form-urlencoded',
      fc
        .array(
          fc.oneof(
            ...inBody.map((parameter) =>
              encoded(valueOf(parameter)).map((value) => `${parameter.name}=${value}`),
            ),
            encoded(text),
          ),
          { maxLength: 5 },
        )
        .map((pairs) => pairs.join('&')),
      3,
    ),
    typed(
      `multipart/form-data; boundary=${boundary}`,
      form,
      /^(addImage|importAnnotations)$/.test(route.operation) ? 20 : 1,
    ),
    typed('multipart/form-data', form, 1),
    typed('text/plain', text, 1),
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 60 })
        .map((bytes) => ({ type: 'application/json; charset=utf-8', body: Buffer.from(bytes) })),
    },
    { weight: 1, arbitrary: fc.constant({ type: '', body: undefined }) },
  );
  return fc
    .tuple(
      path,
      query,
      headers,
      route.method === 'GET' ? fc.constant({ type: '', body: undefined }) : body,
    )
    .map(([pathname, search, more, { type, body: bytes }]) => ({
      target: search === '' ? pathname : `${pathname}?${search}`,
      headers: { ...more, ...(type !== '' && { 'content-type': type }) },
      body: bytes,
    }));
}

it('a URL that is too long is refused in the words of the document to which its path belongs', async () => {
  for (const route of routes) {
    const target = `${route.path.replace(/\{\w+\}/g, 'x')}?a=${'x'.repeat(8_000)}`;
    const { status, text } = await send(route.method, { target, headers: {}, body: undefined });
    expect([status, isFailure[route.family](JSON.parse(text))], route.path).toEqual([414, true]);
  }
});

// What takes away what the others are about comes last; each password that is tried costs what argon2 costs.
const last = /^(delete|enable|signOut)/;
const ordered = [...routes].sort(
  (a, b) => Number(last.test(a.operation)) - Number(last.test(b.operation)),
);

it.each(ordered.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s answers whatever is sent in the words of its document',
  { timeout: 120_000 },
  async (_, route) => {
    const callers = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.constant(callerOf(route)),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('anonymous' as const, 'customer' as const, 'user' as const),
      },
    );
    await fc.assert(
      fc.asyncProperty(callers, requestsOf(route), async (caller, odd) => {
        const session =
          route.operation === 'signOut'
            ? { 'x-service-csrf-token-x': await world.signedIn('ana') }
            : undefined;
        const answer = await send(route.method, {
          ...odd,
          headers: {
            ...odd.headers,
            ...(caller === 'user' && session ? session : world.callers[caller]),
          },
        });
        expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
        if (answer.status < 400 && route.answer.schema === undefined) return;
        // The path is not known then.
        if (answer.status === 431) return;
        const isEmpty = [304, 416].includes(answer.status);
        if (isEmpty) expect(answer.text).toBe('');
        if (isEmpty) return;
        expect(answer.type).toMatch(/^application\/((problem|scim)\+)?json/);
        const json: unknown = JSON.parse(answer.text);
        expect(json).toBeTypeOf('object');
        if (answer.status >= 400)
          expect(isFailure[route.family](json), answer.text.slice(0, 500)).toBe(true);
      }),
      fuzzRuns(route.operation === 'signIn' ? 25 : 60),
    );
  },
);
