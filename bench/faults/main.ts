/**
 * Breaks what a gateway stands on, in PostgreSQL servers and folders of its own, and counts what is lost. Exit code 1 when any acknowledged write is lost or a promise is broken.
 * usage: npm run test:faults -- [--quick] [--only name,name]
 */
import { parseArgs } from 'node:util';
import { Rig, type Fault, type Outcome } from './fault.ts';
import { exhaustPool } from './exhaust-pool.ts';
import { failOver } from './fail-over.ts';
import { fillBlobDisk, fillDatabaseDisk } from './fill-disk.ts';
import { interruptMigration } from './interrupt-migration.ts';
import { jumpClock } from './jump-clock.ts';
import { killEmbedded } from './kill-embedded.ts';
import { killExport } from './kill-export.ts';
import { killGateway } from './kill-gateway.ts';
import { lagReplica } from './lag-replica.ts';
import { loseStorage } from './lose-storage.ts';
import { passPooler } from './pass-pooler.ts';
import { replicas } from './replicas.ts';
import { stopDatabase } from './stop-database.ts';
import { stopGateway } from './stop-gateway.ts';

const faults: Record<string, Fault> = {
  'kill-embedded': killEmbedded,
  'kill-gateway': killGateway,
  'stop-gateway': stopGateway,
  'kill-export': killExport,
  database: stopDatabase,
  pool: exhaustPool,
  'disk-images': fillBlobDisk,
  'disk-database': fillDatabaseDisk,
  clock: jumpClock,
  storage: loseStorage,
  migration: interruptMigration,
  replicas,
  replica: lagReplica,
  pooler: passPooler,
  failover: failOver,
};

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const names = values.only === undefined ? Object.keys(faults) : values.only.split(',');
const unknown = names.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(
    `no such fault: ${unknown.join(', ')}. There are: ${Object.keys(faults).join(', ')}`,
  );
  process.exit(2);
}

const rigs = new Set<Rig>();
const leave = (code: number): never => {
  for (const rig of rigs) rig.end();
  process.exit(code);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave(1));
process.on('uncaughtException', (error) => {
  console.error(error);
  leave(1);
});
const limit = (values.quick ? 5 : 20) * 60_000;
setTimeout(() => {
  console.error(`not finished in ${limit / 60_000} minutes`);
  leave(1);
}, limit).unref();

const begun = performance.now();
let failed = false;
const show = (cells: (string | number)[]): void =>
  console.log(
    cells
      .map((cell, index) =>
        index === 0 ? String(cell).padEnd(24) : index < 5 ? String(cell).padStart(12) : `  ${cell}`,
      )
      .join(''),
  );
show(['fault', 'rounds', 'acknowledged', 'lost', 'seconds', 'notes']);

/** Two lines of work: the embedded database's hundred starts, and all the rest. */
await Promise.all(
  [
    names.filter((name) => name === 'kill-embedded'),
    names.filter((name) => name !== 'kill-embedded'),
  ].map(runAll),
);
console.log(
  `${failed ? 'FAILED' : 'nothing lost, every promise kept'} in ${Math.round((performance.now() - begun) / 1000)} s`,
);
leave(failed ? 1 : 0);

async function runAll(list: string[]): Promise<void> {
  for (const name of list) {
    const fault = faults[name];
    if (!fault) continue;
    const rig = new Rig(values.quick);
    rigs.add(rig);
    const from = performance.now();
    const outcome: Outcome = await fault.run(rig).catch((error: unknown) => ({
      rounds: 0,
      acknowledged: 0,
      lost: 0,
      broken: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      notes: 'broke off',
    }));
    rig.end();
    rigs.delete(rig);
    show([
      fault.name,
      outcome.rounds,
      outcome.acknowledged,
      outcome.lost,
      Math.round((performance.now() - from) / 1000),
      outcome.notes,
    ]);
    for (const line of outcome.broken) console.log(`  ✗ ${line}`);
    if (outcome.lost > 0 || outcome.broken.length > 0) failed = true;
  }
}
