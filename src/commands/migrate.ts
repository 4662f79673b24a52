import { Command } from 'commander';
import type { Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';

/** `trivium migrate`: applies all pending migrations, by opening the database, as a gateway that runs on it has done. */
export function migrateCommand(output: Output): Command {
  return new Command('migrate')
    .description('bring the database to the current migration')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgresql://trivium@127.0.0.1/trivium trivium migrate',
    )
    .action(async () => {
      const { last, applied } = await runJob('migrate', {});
      output.result(
        { last, applied },
        `The database is at migration ${last ?? 'none'} (${applied} applied).`,
      );
    });
}
