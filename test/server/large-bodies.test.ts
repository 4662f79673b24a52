import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const names = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, at) => [`unknown${at}`, 'x']);
const formats: [string, (fields: [string, string][]) => string][] = [
  ['application/json', (fields) => JSON.stringify(Object.fromEntries(fields))],
  ['application/x-www-form-urlencoded', (fields) => String(new URLSearchParams(fields))],
];

it.each(formats)(
  'a body of %s with more than 1000 fields is refused in one line, strict or not',
  async (type, write) => {
    for (const prefer of ['handling=strict', 'handling=lenient']) {
      const post = (count: number) =>
        app.rest('/session', undefined, {
          method: 'POST',
          body: write(names(count)),
          headers: { 'content-type': type, prefer },
        });
      const { status, json } = await post(1_001);
      expect([status, json]).toEqual([
        400,
        { status: 'ER', errorCode: 'E900', response: 'The body has more than 1000 fields' },
      ]);
      expect((await post(1_000)).json.response).toContain('login: ');
    }
  },
);
