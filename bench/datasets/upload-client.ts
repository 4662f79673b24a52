// Uploads photos, `parallel` at once: each once, or again and again for `seconds`. Prints uploads a second. The bodies are made before the clock starts.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

const [url = '', token = '', dataset = '', folder = '', parallel = '1', seconds = '0'] =
  process.argv.slice(2);
const BOUNDARY = 'bench';
const agent = new Agent({ keepAlive: true, maxSockets: Number(parallel) });
const part = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const head = `${part('DatasetId', dataset)}${part('FileName', 'photo.jpg')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="Image"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
const photos = readdirSync(join(folder, 'photos')).map((name) =>
  readFileSync(join(folder, 'photos', name)),
);
/** What follows the end of a JPEG is ignored: it makes each upload new. */
const body = (photo: Buffer): Buffer =>
  Buffer.concat([Buffer.from(head), photo, Buffer.from(`${randomUUID()}\r\n--${BOUNDARY}--\r\n`)]);
const send = (bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      'x-service-csrf-token-x': token,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': bytes.length,
    };
    const sent = request(
      `${url}/api/Images/addImage`,
      { method: 'POST', agent, headers },
      (reply) => {
        let text = '';
        reply.on('data', (chunk) => (text += String(chunk)));
        reply.on('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(text))));
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });

const queue = photos.map(body);
let count = 0;
const cpu = process.cpuUsage();
const started = performance.now();
const end = started + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: Number(parallel) }, async () => {
    for (;;) {
      const bytes =
        queue.pop() ??
        (performance.now() < end
          ? body(photos[count % photos.length] ?? Buffer.alloc(0))
          : undefined);
      if (!bytes) return;
      await send(bytes);
      count++;
    }
  }),
);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    perSecond: count / ((performance.now() - started) / 1000),
    count,
    cpuMs: (user + system) / 1000 / count,
  }),
);
agent.destroy();
