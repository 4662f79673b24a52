import { setFlagsFromString } from 'node:v8';
import { readConfig } from '../../core/context/config.ts';
import type { Services } from '../../core/context/context.ts';
import type { Log } from '../../core/log.ts';
import type { JobArgs, JobName, JobResult } from '../../server/control/control-jobs.ts';
import { askGateway } from '../../server/control/ask-gateway.ts';
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

/** Does a job on the database that the environment names; a gateway that runs on the embedded one does it itself. */
export const runJob: RunJob = async <N extends JobName>(
  name: N,
  args: JobArgs<N>,
  onProgress: (done: number) => void = () => undefined,
): Promise<JobResult<N>> => {
  const { database } = readConfig(process.env);
  const answer =
    database.kind === 'embedded'
      ? await askGateway(database.dataDir, name, args, onProgress)
      : undefined;
  if (answer) return answer.result;
  if (database.kind === 'embedded' && !LONG.has(name)) startQuickly();
  return withServices<JobResult<N>>((services) => runOn(services)(name, args, onProgress));
};

/** Does several jobs, opening the database once. `work` also gets the data folder, if a gateway runs on it. */
export async function withJobs<T>(
  work: (run: RunJob, gateway: string | undefined) => Promise<T>,
  log?: Log,
): Promise<T> {
  const { database } = readConfig(process.env);
  if (database.kind === 'embedded' && (await askGateway(database.dataDir, 'greet', {})))
    return work(runJob, database.dataDir);
  return withServices((services) => work(runOn(services), undefined), log);
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
