import { readConfig } from '../../core/context/config.ts';
import type { JobArgs, JobName, JobResult } from '../../server/control/control-jobs.ts';
import { askGateway } from '../../server/control/ask-gateway.ts';
import { withServices } from './with-services.ts';

/** Does a job on the database that the environment names; a gateway that runs on the embedded one does it itself. */
export async function runJob<N extends JobName>(name: N, args: JobArgs<N>): Promise<JobResult<N>> {
  const { database } = readConfig(process.env);
  const answer =
    database.kind === 'embedded' ? await askGateway(database.dataDir, name, args) : undefined;
  if (answer) return answer.result;
  const { signal } = new AbortController();
  return withServices<JobResult<N>>((services) =>
    import('../../server/control/control-jobs.ts').then((jobs) =>
      jobs.runJob(name, args, { services, signal }),
    ),
  );
}
