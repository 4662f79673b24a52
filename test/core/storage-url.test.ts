import { expect, test } from 'vitest';
import { parseStorageUrl } from '../../src/core/context/storage-url.ts';

test.each([
  ['/srv/blobs', { kind: 'filesystem', folder: '/srv/blobs' }],
  ['C:/blobs', { kind: 'filesystem', folder: 'C:/blobs' }],
  ['blobs', { kind: 'filesystem', folder: 'blobs' }],
  ['file:///srv/my%20blobs', { kind: 'filesystem', folder: '/srv/my blobs' }],
  ['s3://images', { kind: 's3', bucket: 'images', prefix: '', region: 'us-east-1' }],
  [
    's3://images/a/b/?endpoint=http://127.0.0.1:9000&region=eu-central-1',
    {
      kind: 's3',
      bucket: 'images',
      prefix: 'a/b',
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:9000',
    },
  ],
])('reads %s', (text, expected) => {
  expect(parseStorageUrl(text)).toEqual(expected);
});

test.each([
  's3://',
  's3:images',
  'filesystem:/srv/blobs',
  'gs://images',
  'file://host/x',
  'file:///srv/100%',
  'file:///srv/%00',
  's3://images?endpoint=nonsense',
  's3://images?endpont=http://127.0.0.1:9000',
  's3://key:secret@images',
  'http://images',
])('refuses %s', (text) => {
  expect(parseStorageUrl(text)).toBeUndefined();
});
