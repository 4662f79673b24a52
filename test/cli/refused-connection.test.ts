import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { ownCertificate } from '../support/own-certificate.ts';
import { trivium } from '../support/trivium.ts';

/** A message of PostgreSQL's protocol: authentication, by the number of its step. */
const authentication = (step: number, text: string): Buffer => {
  const message = Buffer.alloc(9 + text.length);
  message.write('R');
  message.writeInt32BE(8 + text.length, 1);
  message.writeInt32BE(step, 5);
  message.write(text, 9);
  return message;
};
/** What a server says first, and then: it has no TLS, or it wants a password. */
const noTls = [Buffer.from('N')];
const password = [
  authentication(10, 'SCRAM-SHA-256\0\0'),
  authentication(11, 'r=another,s=c2FsdA==,i=4096'),
];
/** PgBouncer, whose sessions take no settings. */
const refusal = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
const pooler = [Buffer.from(`E\0\0\0${String.fromCharCode(refusal.length + 4)}${refusal}`)];

test.each([
  [
    'that is a pooler, without DATABASE_DIRECT_URL,',
    pooler,
    'me@',
    '',
    'error: DATABASE_URL leads to a pooler: set DATABASE_DIRECT_URL to the server itself (docs/scaling.md)\n',
  ],
  [
    'without TLS that it should have',
    noTls,
    'me@',
    '?sslmode=verify-full',
    'error: DATABASE_URL (its sslmode or password) does not suit PostgreSQL: The server does not support SSL connections\n',
  ],
  [
    'that asks for a password which is not there',
    password,
    'me@',
    '',
    'error: PostgreSQL asks for a password, and DATABASE_URL has none\n',
  ],
  [
    'that does not prove to know the password',
    password,
    'me:secret@',
    '',
    'error: DATABASE_URL (its sslmode or password) does not suit PostgreSQL: SASL: SCRAM-SERVER-FIRST-MESSAGE: server nonce does not start with client nonce\n',
  ],
])(
  'a server %s is told in one line, with exit code 1',
  async (_, answers, user, parameters, stderr) => {
    const server = createServer((socket) => {
      const left = [...answers];
      socket.on('error', () => undefined);
      socket.on('data', () => void socket.write(left.shift() ?? ''));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const url = `postgresql://${user}127.0.0.1:${port}/trivium${parameters}`;
    const ended = await trivium(['migrate'], { cwd: tmpdir(), env: { DATABASE_URL: url } });
    expect(ended).toMatchObject({ status: 1, stderr });
    server.close();
  },
);

test('a certificate of PostgreSQL that is not trusted is told with what to set', async () => {
  const certificate = ownCertificate();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = `postgresql://me@127.0.0.1:${port}/trivium?sslmode=verify-full`;
  const ended = await trivium(['migrate'], { cwd: tmpdir(), env: { DATABASE_URL: url } });
  expect(ended).toMatchObject({
    status: 1,
    stderr:
      'error: a certificate is not accepted: self-signed certificate; for that of PostgreSQL see DATABASE_URL in docs/configuration.md\n',
  });
  server.close();
});

test.each([
  ['that has no time', 503, 'SlowDown', 'secret', 'the storage answered 503 SlowDown'],
  ['that refuses its key', 403, 'AccessDenied', 'secret', 'the storage answered 403 AccessDenied'],
  ['without a key', 200, '', '', 'STORAGE: Could not load credentials from any providers'],
])(
  'an object storage %s is told in one line, with exit code 1',
  async (_, status, code, key, message) => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const cwd = mkdtempSync(join(tmpdir(), 'trivium-refused-'));
    const ended = await trivium(['storage', 'check'], {
      cwd,
      env: {
        DATA_DIR: join(cwd, 'data'),
        STORAGE: `s3://images?endpoint=http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: key,
        AWS_SECRET_ACCESS_KEY: key,
        // Where else there could be a key.
        ...{ HOME: cwd, AWS_EC2_METADATA_DISABLED: 'true' },
        // Of the client of S3, about versions of Node to come.
        NODE_NO_WARNINGS: '1',
      },
    });
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: `error: ${message}\n` });
    server.close();
    rmSync(cwd, { recursive: true });
  },
  60_000,
);
