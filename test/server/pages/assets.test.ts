import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Assets } from '../../../src/server/pages/assets.ts';

it('files of a page that could not be read are read again for the next request', async () => {
  let reads = 0;
  const assets = new Assets('some', () =>
    ++reads === 1
      ? Promise.reject(new Error('too many open files'))
      : Promise.resolve({ 'some.js': 'go()' }),
  );
  await expect(assets.path()).rejects.toThrow('too many open files');
  const request = new IncomingMessage(new Socket());
  const file = `${await assets.path()}some.js`;
  expect(await assets.answer(request, file)).toMatchObject({ body: 'go()' });
  await assets.path();
  expect(reads).toBe(2);
});
