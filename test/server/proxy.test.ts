import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { createConnection, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { hasNginx, startNginx, type OwnNginx } from '../support/nginx.ts';
import { feed, organisation } from '../support/records.ts';

if (!hasNginx()) console.log('not run: deploy/nginx.conf, as nginx is not installed');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function nginxBefore(first: number, second: number): Promise<OwnNginx> {
  const nginx = await startNginx([first, second]);
  ends.push(() => nginx.stop());
  return nginx;
}

/** Takes a request and breaks the connection, as a gateway that is killed does. */
async function startBreaking(taken: string[]): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      taken.push(String(head).slice(0, 4).trim());
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe.skipIf(!hasNginx())('deploy/nginx.conf', () => {
  const ask = (url: string, method: string): Promise<Response> =>
    fetch(`${url}/graphql`, { method, ...(method === 'POST' && { body: '{}' }) });

  it('while no gateway answers, tells clients to try again, as nothing was done', async () => {
    const { url } = await nginxBefore(await freePort(), await freePort());
    for (const method of ['GET', 'POST', 'POST']) {
      const { status, headers } = await ask(url, method);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
  });

  it('sends a mutation once: not again when the connection broke after it was sent', async () => {
    const taken: string[] = [];
    const { url } = await nginxBefore(await startBreaking(taken), await startBreaking(taken));
    const { status, headers } = await ask(url, 'POST');
    expect([status, headers.get('retry-after'), taken]).toEqual([502, null, ['POST']]);
    expect((await ask(url, 'GET')).status).toBe(502);
    expect(taken.slice(0, 3)).toEqual(['POST', 'GET', 'GET']);
  });

  it('lets through what is as large as a file of annotations may be', async () => {
    const gateway = createHttpServer((_, response) => response.end('taken')).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    ends.push(
      () => gateway.close(),
      () => gateway.closeAllConnections(),
    );
    const address = gateway.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { url } = await nginxBefore(port, port);
    // It is answered by its length alone.
    const upload = request(`${url}/api/Projects/importAnnotations`, {
      method: 'POST',
      headers: { 'content-length': 256 * 2 ** 20 + 2_000 },
    });
    upload.on('error', () => {});
    upload.flushHeaders();
    const [{ statusCode }] = await once(upload, 'response');
    upload.destroy();
    expect(statusCode).toBe(200);
  });

  it('sends every mutation to the gateway that is there, and to one that is back at once', async () => {
    const app = await startApp();
    ends.push(() => app.close());
    await app.load([...organisation, feed(1)]);
    const token = await app.signedIn('ana');
    const port = Number(new URL(app.url).port);
    const pin = async (url: string): Promise<string> => {
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
        body: JSON.stringify({
          query: `mutation { setFeedState(input: { feedIds: ["${btoa('Feed:1')}"], pinned: true }) { __typename } }`,
        }),
      });
      return answer.text();
    };
    const { url } = await nginxBefore(await freePort(), port);
    for (let n = 0; n < 5; n++) expect(await pin(url)).toContain('SetFeedStatePayload');
    const away = await freePort();
    const other = await nginxBefore(away, await freePort());
    expect((await ask(other.url, 'POST')).status).toBe(503);
    // Both have failed. One is back:
    const forward = createServer((socket) => {
      const to = createConnection(port, '127.0.0.1');
      socket.pipe(to).pipe(socket);
      for (const one of [socket, to])
        one.on('error', () => void [socket, to].map((s) => s.destroy()));
    }).listen(away, '127.0.0.1');
    await once(forward, 'listening');
    ends.push(() => forward.close());
    expect(await pin(other.url)).toContain('SetFeedStatePayload');
  });
});
