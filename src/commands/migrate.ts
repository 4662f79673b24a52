import { Command } from 'commander';
import type { Output } from './support/output.ts';
import { withJobs } from './support/run-job.ts';

/**
 * `trivium migrate`: applies all pending migrations, by opening the database, as a gateway that runs on it has done, and
 * does their steps, which gateways do while they serve. Tells on stderr which one it does.
 */
export function migrateCommand(output: Output): Command {
  return new Command('migrate')
    .description('bring the database to the current migration')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgresql://trivium@127.0.0.1/trivium trivium migrate',
    )
    .action(async () => {
      // Imported late, so that --help and wrong arguments are answered quickly.
      const { tellSteps } = await import('./support/tell-steps.ts');
      const { log, stop } = tellSteps();
      const { last, applied } = await withJobs((run) => run('migrate', {}), log).finally(stop);
      output.result(
        { last, applied },
        `The database is at migration ${last ?? 'none'} (${applied} applied).`,
      );
    });
}
