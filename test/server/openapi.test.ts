import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deprecations } from '../../src/server/routes/deprecations.ts';
import type { Content, OpenApiDocument, Operation } from '../../src/server/openapi/document.ts';
import { routes } from '../../src/server/routes/routes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { checkerOf } from '../support/openapi.ts';

let app: TestApp;
let document: OpenApiDocument;
beforeAll(async () => {
  app = await startApp({ env: { NODE_ENV: 'production', BASE_PATH: '/gateway' } });
  document = (await app.rest('/openapi.json')).json as unknown as OpenApiDocument;
});
afterAll(() => app.close());

const operations = (): [path: string, method: string, operation: Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      path,
      method,
      operation,
    ]),
  );

async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('F198 GET /openapi.json', () => {
  it('is served in production, under the base path, with an ETag', async () => {
    const { status, headers, text } = await app.rest('/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(document).toMatchObject({
      openapi: '3.1.1',
      info: { version: '1.0.0' },
      servers: [{ url: '/gateway' }],
    });
    const again = await app.rest('/openapi.json', undefined, {
      headers: { 'if-none-match': headers.get('etag')! },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await app.rest('/openapi.json', undefined, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.text]).toEqual([
      200,
      String(Buffer.byteLength(text)),
      '',
    ]);
    const wrong = await app.rest('/openapi.json', undefined, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('has no problem in the strictest rules of the linter, which would find one', async () => {
    expect(await lint(JSON.stringify(document))).toEqual([]);
    const broken = structuredClone(document);
    delete broken.components.schemas['Feed'];
    expect(await lint(JSON.stringify(broken))).toContainEqual(
      expect.stringContaining('no-unresolved-refs'),
    );
  });

  it('gives its schemas short names, and none an empty list of items or an empty alternative', () => {
    for (const name of Object.keys(document.components.schemas))
      expect(name).toMatch(/^[A-Z][A-Za-z]{2,20}$/);
    expect(JSON.stringify(document)).not.toMatch(/"prefixItems":\[\]|"anyOf":\[\{\}/);
  });

  it('has every route with every parameter, its default, its values and its bounds', () => {
    for (const route of routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      expect(operation?.operationId).toBe(route.operation);
      const described = new Map(
        operation?.parameters.flatMap((parameter) =>
          '$ref' in parameter ? [] : [[`${parameter.in} ${parameter.name}`, parameter.schema]],
        ),
      );
      const bodies = Object.values(operation?.requestBody?.content ?? {}).map(
        ({ schema }) => schema['properties'] as Record<string, object> | undefined,
      );
      for (const { name, in: place, schema } of route.parameters) {
        if (place === 'body') for (const body of bodies) expect(body?.[name]).toMatchObject(schema);
        else expect(described.get(`${place} ${name}`)).toEqual(schema);
      }
    }
    expect(
      operations()
        .map(([path]) => path)
        .filter((path) => !routes.some((route) => route.path === path)),
    ).toEqual(['/explain', '/explain']);
    expect(operations()).toHaveLength(routes.length + 2);
  });

  it('D-37 says that list/tasks ignores the views it forces, and that list does not', () => {
    const ignored = (path: string): string[] | undefined =>
      document.paths[path]?.['get']?.parameters
        ?.filter((row) => 'name' in row && /_view|view_/.test(row.name))
        .filter((row) => JSON.stringify(row).includes('Accepted and ignored'))
        .map((row) => ('name' in row ? row.name : ''));
    expect(ignored('/task/v1/feeds/list/tasks')).toEqual(['view_type', 'task_view']);
    expect(ignored('/task/v1/feeds/{retrieve-type}')).toEqual([]);
  });

  it('D-83 marks what is deprecated, and nothing else', () => {
    const marked = operations().filter(([, , { deprecated }]) => deprecated);
    expect(marked.map(([path]) => path).sort()).toEqual(Object.keys(deprecations).sort());
    for (const [path, , { description }] of marked)
      expect(description).toContain(deprecations[path]?.sunset);
  });

  it('gives examples of days around today, which the demo data has', () => {
    const { parameters } = document.paths['/task/v1/calendar']!['get']!;
    const example = (name: string): string =>
      String(parameters.flatMap((one) => ('name' in one && one.name === name ? one.example : [])));
    for (const name of ['from_date', 'to_date']) {
      const day = Date.parse(example(name).replace(/(....)(..)(..)/, '$1-$2-$3'));
      expect(Math.abs(day - Date.now())).toBeLessThan(3 * 86_400_000);
    }
    const { requestBody } = document.paths['/api/task-tracker-external/tasks']!['post']!;
    const task = requestBody!.content['application/json']!.example as { expiryTime: string };
    expect(Date.parse(task.expiryTime)).toBeGreaterThan(Date.now());
  });

  it('gives examples that its own schemas take', () => {
    const checker = checkerOf(document);
    const check = (pointer: string[], content: Content = {}): string[] =>
      Object.entries(content).flatMap(([mediaType, { example, examples = {} }]) =>
        [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ].flatMap((value) =>
          checker
            .valueFaults([...pointer, mediaType, 'schema'], value)
            .map((fault) => `${pointer.join(' ')}: ${fault}`),
        ),
      );
    const faults = operations().flatMap(
      ([path, method, { requestBody, responses, parameters }]) => [
        ...check(['paths', path, method, 'requestBody', 'content'], requestBody?.content),
        ...Object.entries(responses).flatMap(([status, { content }]) =>
          check(['paths', path, method, 'responses', status, 'content'], content),
        ),
        ...parameters.flatMap((parameter, index) =>
          'example' in parameter
            ? checker.valueFaults(
                ['paths', path, method, 'parameters', String(index), 'schema'],
                parameter.example,
              )
            : [],
        ),
      ],
    );
    expect(faults).toEqual([]);
    expect(checker.valueFaults(['components', 'schemas', 'Feed'], { feed_key: 'x' })).not.toEqual(
      [],
    );
  });
});
