import { once } from 'node:events';
import { post } from './call.ts';
import { query, type Fault } from './fault.ts';
import { hasNginx, startNginx } from '../../test/support/nginx.ts';
import { makeWorld } from './world.ts';

/** More than the connections that nginx keeps open to the gateways. */
const WORKERS = 48;

/** SIGTERM to one of two gateways in turn, behind nginx with deploy/nginx.conf, while mutations come without a break: none is cut off, refused or applied twice. */
export const stopGateway: Fault = {
  name: 'gateway stopped',
  async run(rig) {
    if (!hasNginx())
      return {
        rounds: 0,
        acknowledged: 0,
        lost: 0,
        broken: [],
        notes: 'not run: needs nginx (Debian package)',
      };
    const { url: DATABASE_URL } = await rig.postgres();
    const env = { DATABASE_URL, TRUSTED_PROXIES: 'loopback' };
    const world = await makeWorld({ DATABASE_URL, DATA_DIR: rig.folder() });
    const start = (port?: number): ReturnType<typeof rig.gateway> =>
      rig.gateway({ ...env, DATA_DIR: rig.folder() }, port);
    const gateways = [await start(), await start()] as const;
    const nginx = await startNginx([gateways[0].port, gateways[1].port]);
    rig.atEnd(() => nginx.stop());

    const answers = new Map<string, number>();
    const faults: string[] = [];
    let writing = true;
    const worker = async (number: number): Promise<void> => {
      for (let turn = 0; writing; turn++) {
        // Without a key: a task that is sent twice would be there twice.
        const name = `task ${number} ${turn}`;
        const { status, json } = await post(
          nginx.url,
          '/api/task-tracker-external/tasks',
          '',
          { name, priority: 'LOW', assignedTo: 'user0' },
          world.customer,
        );
        answers.set(name, status);
        if (status !== 201) faults.push(`${status} ${JSON.stringify(json).slice(0, 100)}`);
      }
    };
    const workers = Array.from({ length: WORKERS }, (_, number) => worker(number));
    const rounds = rig.rounds(50);
    const broken: string[] = [];
    let longest = 0;
    for (let round = 0; round < rounds; round++) {
      const stopped = gateways[round % 2 === 0 ? 0 : 1];
      const exit = once(stopped.child, 'exit');
      const from = performance.now();
      stopped.child.kill('SIGTERM');
      const [code] = await exit;
      longest = Math.max(longest, performance.now() - from);
      if (code !== 0) broken.push(`a gateway left with ${code}`);
      Object.assign(stopped, await start(stopped.port));
    }
    writing = false;
    await Promise.all(workers);
    const acknowledged = [...answers.values()].filter((status) => status === 201).length;
    const rows = await query(
      DATABASE_URL,
      'SELECT name, count(*)::int AS times FROM external_task GROUP BY name',
    );
    const times = new Map(rows.map((row) => [row.name as string, row.times as number]));
    const lost = [...answers].filter(([name, status]) => status === 201 && !times.has(name));
    const twice = rows.filter((row) => row.times > 1);
    if (faults.length > 0)
      broken.push(
        `${faults.length} mutations failed: ${[...new Set(faults)].slice(0, 3).join('; ')}`,
      );
    if (twice.length > 0) broken.push(`${twice.length} mutations were applied twice`);
    return {
      rounds,
      acknowledged,
      lost: lost.length,
      broken,
      notes: `${WORKERS} clients behind nginx; stopped within ${Math.round(longest)} ms`,
    };
  },
};
