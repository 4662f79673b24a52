import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kill, pause, query, random, until, type Fault } from './fault.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `kill -9` in the middle of `migrate`: all of it is there or nothing, and the next start completes it. */
export const interruptMigration: Fault = {
  name: 'migration interrupted',
  async run(rig) {
    const postgres = await rig.postgres();
    const all = readdirSync(
      fileURLToPath(new URL('../../prisma/migrations', import.meta.url)),
    ).filter((name) => /^\d/.test(name)).length;
    const broken: string[] = [];
    const rounds = rig.rounds(10);
    let [interrupted, lost] = [0, 0];
    for (let n = 0; n < rounds; n++) {
      const name = `migrated_${n}`;
      await query(postgres.url, `CREATE DATABASE ${name}`);
      const url = postgres.url.replace(/postgres$/, name);
      const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'migrate'], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: url },
        stdio: 'ignore',
      });
      rig.atEnd(() => void child.kill('SIGKILL'));
      const inside = async (): Promise<boolean> =>
        (
          await query(
            postgres.url,
            `SELECT FROM pg_stat_activity WHERE datname = $1 AND xact_start IS NOT NULL`,
            [name],
          )
        ).length > 0;
      await until(async () => (await inside()) || child.exitCode !== null, 30_000);
      await pause(random(0, 120));
      if (child.exitCode === null) interrupted++;
      await kill({ child });
      await until(async () => !(await inside()), 5_000);
      const [before] = await query(
        url,
        `SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'`,
      );
      const gateway = await rig.gateway({ DATABASE_URL: url, DATA_DIR: rig.folder() });
      const [after] = await query(
        url,
        `SELECT count(*)::int AS tables, (SELECT count(*)::int FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS applied FROM pg_tables WHERE schemaname = 'public'`,
      );
      if (before.tables !== 0 && before.tables !== after.tables) lost++;
      if (after.applied !== all)
        broken.push(`${after.applied} of ${all} migrations after the next start`);
      await kill(gateway);
    }
    if (interrupted === 0) broken.push('no migration was interrupted');
    return {
      rounds,
      acknowledged: 0,
      lost,
      broken,
      notes: `${interrupted} killed inside the transaction, ${lost} left by halves; the next start completed each`,
    };
  },
};
