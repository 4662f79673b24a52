import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, upload } from './call.ts';
import { pause, query, until, type Fault, type Outcome, type Rig } from './fault.ts';
import { crossCheck, makeDataset, makeWorld, noise } from './world.ts';
import { Writers } from './writers.ts';

/** A file system of its own, of so many megabytes; undefined where mounting is not allowed. */
function smallDisk(rig: Rig, megabytes: number): string | undefined {
  const folder = rig.folder();
  try {
    execFileSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'trivium-faults', folder],
      { stdio: 'ignore' },
    );
  } catch {
    return undefined;
  }
  rig.atEnd(() => void execFileSync('umount', ['-l', folder]));
  chmodSync(folder, 0o777);
  return folder;
}

/** Takes all but `leave` bytes of it. */
function fill(folder: string, leave: number): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leave)));
  } catch (error) {
    // Somebody took the last bytes first.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

const notRun: Outcome = {
  rounds: 0,
  acknowledged: 0,
  lost: 0,
  broken: [],
  notes: 'not run: needs the right to mount a small tmpfs (root)',
};

/** The disk of the images fills up: uploads are refused whole, everything else goes on, and there is room again. */
export const fillBlobDisk: Fault = {
  name: 'disk of images full',
  async run(rig) {
    const disk = smallDisk(rig, 16);
    if (disk === undefined) return notRun;
    const { url: DATABASE_URL } = await rig.postgres();
    const env = { DATABASE_URL, DATA_DIR: rig.folder(), STORAGE: join(disk, 'blobs') };
    const world = await makeWorld(env);
    const gateway = await rig.gateway(env);
    const [token = ''] = world.tokens;
    const { datasetId } = await makeDataset(gateway.url, token);
    const broken: string[] = [];
    let [acknowledged, refused] = [0, 0];
    const rounds = rig.rounds(5);
    for (let n = 0; n < rounds; n++) {
      fill(disk, 1_500_000);
      for (let i = 0; i < 6; i++) {
        const answer = await upload(gateway.url, token, datasetId, await noise(600));
        if (answer.status === 200) acknowledged++;
        else refused++;
        if (
          answer.status !== 200 &&
          (answer.status !== 500 || answer.json?.isSuccess !== false || answer.retryAfter === null)
        )
          broken.push(`an upload answered ${answer.status}: ${JSON.stringify(answer.json)}`);
        if ((await call(gateway.url, '/task/v1/feeds/list', token)).status !== 200)
          broken.push('a read fails too');
      }
      rmSync(join(disk, 'filler'));
      const again = await upload(gateway.url, token, datasetId, await noise(100));
      if (again.status === 200) acknowledged++;
      else broken.push(`with room again, an upload answered ${again.status}`);
    }
    if (refused === 0) broken.push('the disk never was full');
    const staged = readdirSync(join(disk, 'blobs', 'staging')).length;
    if (staged > 0) broken.push(`${staged} halves of uploads are left`);
    const [[row], check] = [
      await query(DATABASE_URL, 'SELECT count(*)::int AS images FROM image'),
      await crossCheck(env),
    ];
    const images = Number(row.images);
    return {
      rounds,
      acknowledged,
      lost: Math.max(0, acknowledged - images) + check.faults,
      broken: [...new Set(broken)].slice(0, 10),
      notes: `${refused} uploads refused; ${check.objects} objects checked, ${check.faults} bad, ${check.orphans} orphans`,
    };
  },
};

/** The disk of the database fills up, which may take the server down: 503, and nothing acknowledged is lost once there is room. */
export const fillDatabaseDisk: Fault = {
  name: 'disk of database full',
  async run(rig) {
    const disk = smallDisk(rig, 260);
    if (disk === undefined) return notRun;
    const postgres = await rig.postgres({
      within: disk,
      settings: ['max_wal_size=64MB', 'min_wal_size=32MB', 'restart_after_crash=on'],
    });
    const env = { DATABASE_URL: postgres.url, DATA_DIR: rig.folder() };
    const world = await makeWorld(env);
    const gateway = await rig.gateway(env);
    const [token = ''] = world.tokens;
    const dataset = await makeDataset(gateway.url, token);
    const writers = new Writers(world, dataset, () => gateway.url);
    const broken: string[] = [];
    let slowestBack = 0;
    const rounds = rig.rounds(3);
    writers.start();
    for (let n = 0; n < rounds; n++) {
      await pause(1_000);
      fill(disk, 0);
      const from = performance.now();
      // A log segment is written to its end before the disk is missed: fill it with something larger.
      const full = await until(
        () => writers.answers.some(({ at, status }) => at > from && status >= 500),
        25_000,
      );
      if (full === undefined) broken.push('the disk never was full');
      await pause(1_000);
      for (const { at, kind, status, retryAfter, json } of writers.answers) {
        if (at < from || status < 400) continue;
        if (
          !(status === 503 || (status === 500 && (kind === 'upload' || kind === 'dataset'))) ||
          retryAfter === null
        )
          broken.push(
            `${kind} answered ${status}, Retry-After ${retryAfter}: ${JSON.stringify(json).slice(0, 100)}`,
          );
      }
      rmSync(join(disk, 'filler'));
      await pause(500);
      await postgres.start().catch(() => undefined); // It may not have gone down at all.
      const started = performance.now();
      const back = await until(
        () =>
          writers.answers.some(
            ({ at, status, kind }) => at > started && status === 201 && kind === 'task',
          ),
        10_000,
      );
      if (back === undefined) broken.push('no write within 10 s of room');
      slowestBack = Math.max(slowestBack, back ?? 10_000);
    }
    await writers.stop();
    const lost = await writers.lost(postgres.url);
    const check = await crossCheck(env);
    return {
      rounds,
      acknowledged: writers.acknowledged,
      lost: lost.length + check.faults,
      broken: [...lost.slice(0, 5), ...new Set(broken)].slice(0, 10),
      notes: `${writers.answers.filter(({ status }) => status >= 500).length} writes refused; back in ${slowestBack} ms at most`,
    };
  },
};
