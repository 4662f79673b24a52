import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endProcesses, folder, GENEROUS, start } from '../support/gateway-process.ts';

endProcesses();

it.runIf(process.platform === 'linux')(
  'a gateway that may open few files closes connections before files run out, and says so',
  async () => {
    const gateway = await start(
      { DATA_DIR: join(folder, 'few'), DEMO: 'false', TRUSTED_PROXIES: 'loopback' },
      undefined,
      160,
    );
    const warned = gateway.welcome.find((line) => line.includes('"level":40')) ?? '{}';
    expect(JSON.parse(warned)).toMatchObject({
      limit: 80,
      msg: expect.stringContaining('the process may open 160 files only'),
    });
    const { hostname, port } = new URL(gateway.url);
    let closed = 0;
    const sockets = Array.from({ length: 300 }, () =>
      connect(Number(port), hostname)
        .on('error', () => undefined)
        .on('close', () => closed++),
    );
    await expect.poll(() => closed).toBe(220);
    // Each asks the embedded database.
    sockets.forEach((socket) => socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'));
    const open = sockets.filter((socket) => !socket.closed);
    const answers = open.map(
      (socket) =>
        new Promise<string>((resolve) =>
          socket.once('data', (data) => resolve(String(data).slice(0, 12))),
        ),
    );
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']));
    sockets.forEach((socket) => socket.destroy());
  },
  GENEROUS,
);
