import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from '../../core/context/config.ts';
import type { Services } from '../../core/context/context.ts';
import { FolderInUseError } from '../../core/database/folder-lock.ts';
import type { Log } from '../../core/log.ts';
import type { JobArgs, JobName, JobResult } from '../../server/control/control-jobs.ts';
import { askGateway } from '../../server/control/ask-gateway.ts';
import { isMarked } from '../../server/control/gateway-mark.ts';
import { createOutput } from './output.ts';
import { withServices } from './with-services.ts';

/** Does a job, and tells how far it is. */
export type RunJob = <N extends JobName>(
  name: N,
  args: JobArgs<N>,
  onProgress?: (done: number) => void,
) => Promise<JobResult<N>>;

/** Jobs that may take long: worth that V8 optimises the machine code of the embedded database. */
const LONG: ReadonlySet<JobName> = new Set(['importFile', 'loadDemo', 'checkStorage']);

/** Takes an embedded database as it is compiled at first: optimising it takes longer than a short job. */
function startQuickly(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
    setFlagsFromString(flag);
}

/** Longest wait for a gateway that starts or stops, in milliseconds: most do so in a second or two. */
const PATIENCE = 30_000;

/**
 * Asks the gateway that runs on the embedded database, or does without it where none runs, or the environment names a server.
 * While one starts or stops, it can do neither, and waits.
 */
async function besideGateway<T>(
  askOn: (dataDir: string) => Promise<{ result: T } | undefined>,
  without: (kind: 'embedded' | 'server') => Promise<T>,
): Promise<T> {
  const { database } = readConfig(process.env);
  if (database.kind === 'server') return without('server');
  const { dataDir } = database;
  const ask = (): ReturnType<typeof askOn> => askOn(dataDir);
  const until = performance.now() + PATIENCE;
  const mayWait = (): boolean => performance.now() < until && isMarked(dataDir);
  let told = false;
  for (;;) {
    const answer = await ask();
    if (answer) return answer.result;
    if (mayWait()) {
      if (!told && !createOutput(process.argv.slice(2)).json)
        process.stderr.write(`waiting for the gateway on ${dataDir}, which starts or stops\n`);
      told = true;
      await sleep(50);
      continue;
    }
    try {
      return await without('embedded');
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      if (mayWait()) continue;
      // It may have started meanwhile.
      const late = await ask();
      if (late) return late.result;
      throw error;
    }
  }
}

/** Does a job on the database that the environment names; a gateway that runs on the embedded one does it itself. */
export const runJob: RunJob = <N extends JobName>(
  name: N,
  args: JobArgs<N>,
  onProgress: (done: number) => void = () => undefined,
): Promise<JobResult<N>> =>
  besideGateway(
    (dataDir) => askGateway(dataDir, name, args, onProgress),
    (kind) => {
      if (kind === 'embedded' && !LONG.has(name)) startQuickly();
      return withServices((services) => runOn(services)(name, args, onProgress));
    },
  );

/** Does several jobs, opening the database once. `work` also gets the data folder, if a gateway runs on it. */
export async function withJobs<T>(
  work: (run: RunJob, gateway: string | undefined) => Promise<T>,
  log?: Log,
): Promise<T> {
  return besideGateway(
    async (dataDir) =>
      (await askGateway(dataDir, 'greet', {})) && { result: await work(runJob, dataDir) },
    () => withServices((services) => work(runOn(services), undefined), log),
  );
}

const runOn =
  (services: Services): RunJob =>
  async <N extends JobName>(
    name: N,
    args: JobArgs<N>,
    onProgress: (done: number) => void = () => undefined,
  ): Promise<JobResult<N>> => {
    const jobs = await import('../../server/control/control-jobs.ts');
    const { signal } = new AbortController();
    return jobs.runJob(name, args, { services, signal, onProgress });
  };
