import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The code blocks of docs/clients.md: language, file, text. */
const blocks = [
  ...readFileSync('docs/clients.md', 'utf8').matchAll(/^```(\w*) ?(.*)\n([^]*?)^```$/gm),
].map(([, language, file = '', text]) => ({ language, file, text }));

it('has a block for each client', () => {
  expect(new Set(blocks.map(({ file }) => file.split('/').slice(0, -1).join('/')))).toEqual(
    new Set([
      'test/client',
      'test/clients',
      'test/clients/graphql-ws',
      'test/clients/relay',
      'test/clients/urql',
      'test/clients/apollo',
    ]),
  );
});

it.each(blocks)('$file is shown as it is tested', ({ file, text }) => {
  const asImported = readFileSync(file, 'utf8')
    .replace("'../../src/client/create-client.ts'", "'trivium/client'")
    .replaceAll("'../../src/generated/client/", "'./generated/");
  expect(text).toBe(asImported);
});
