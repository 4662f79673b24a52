import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openLog } from '../../src/core/log.ts';

it('in a terminal, a gateway outside production writes lines for people: time, level, message, then the fields', async () => {
  const terminal = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const log = await openLog({ logLevel: 'info', production: false }, terminal);
  log.debug('left out');
  log.warn({ operation: 'listFeeds' }, 'request failed');
  const [text] = (await terminal.take(1).toArray()) as string[];
  const plain = text?.replaceAll(/\x1b\[\d+m/g, '');
  expect(plain).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: request failed\n +operation: "listFeeds"\n$/,
  );
});
