// The floor of an upload: bare sharp with the gateway's settings, from a file to a file, for some seconds. Prints images a second and CPU for each.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const [folder = '', jobs = '1', seconds = '3'] = process.argv.slice(2);
sharp.cache(false);
sharp.concurrency(1);
mkdirSync(join(folder, 'thumbnails'), { recursive: true });
const names = readdirSync(join(folder, 'photos'));
const thumbnail = (name: string): Promise<unknown> =>
  sharp(join(folder, 'photos', name), { limitInputPixels: 268_402_689, failOn: 'error' })
    .autoOrient()
    .resize(270, 200, { fit: 'contain', background: '#ffffff' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 80 })
    .toFile(join(folder, 'thumbnails', name));
await thumbnail(names[0] ?? '');
const cpu = process.cpuUsage();
const started = performance.now();
const end = started + Number(seconds) * 1000;
let count = 0;
await Promise.all(
  Array.from({ length: Number(jobs) }, async () => {
    while (performance.now() < end) await thumbnail(names[count++ % names.length] ?? '');
  }),
);
const taken = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ perSecond: count / taken, cpuMs: (user + system) / 1000 / count }));
