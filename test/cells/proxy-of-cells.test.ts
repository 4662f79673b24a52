import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { hasNginx, startNginx } from '../support/nginx.ts';

if (!hasNginx()) console.log('not run: the proxy of cells, as nginx is not installed');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A gateway that answers with its name, and the host that it was asked for; returns its port. */
async function startCell(name: string): Promise<number> {
  const server = createServer((request, response) =>
    response.end(`${name} ${request.headers.host ?? ''} HTTP/${request.httpVersion}`),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function ask(url: string, host: string): Promise<string> {
  const [response] = await once(get(url, { headers: { host } }), 'response');
  let text = '';
  for await (const piece of response) text += String(piece);
  return text;
}

/** deploy/nginx.conf as docs/scaling.md says to change it. */
function ofCells(shipped: string): string {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const [, lines = ''] = /```nginx\n(.*?)```/s.exec(page) ?? [];
  return shipped
    .replace(/ *upstream gateways \{.*?\n  \}\n/s, lines)
    .replace('cell1.internal:4000', 'gateway-1:4000')
    .replace('cell2.internal:4000', 'gateway-2:4000')
    .replace('proxy_pass http://gateways', 'proxy_pass http://$cell');
}

describe.skipIf(!hasNginx())('nginx as docs/scaling.md has it', () => {
  it('leads the host name of each domain to its cell', async () => {
    const cells = [await startCell('cell 1'), await startCell('cell 2')] as const;
    const nginx = await startNginx(cells, ofCells);
    ends.push(() => nginx.stop());
    expect(await ask(nginx.url, 'acme.example.com')).toBe('cell 2 acme.example.com HTTP/1.1');
    expect(await ask(nginx.url, 'other.example.com')).toBe('cell 1 other.example.com HTTP/1.1');
  });
});
