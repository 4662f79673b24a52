import { Command } from 'commander';
import { describeCounts, sumOf } from './support/describe-counts.ts';
import type { Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';
import { withProgress } from './support/with-progress.ts';

/** Approximate number of demo records, for the progress bar only. */
const DEMO_RECORDS = 5200;

/** `trivium demo`: loads the demo data; into a database with other data only when told to. */
export function demoCommand(output: Output): Command {
  return new Command('demo')
    .description(
      'load the demo data (logins associate, supervisor, leader, outsider; password demo)',
    )
    .option(
      '--force',
      'also when the database holds data: domains demo and other and feeds with the same keys are overwritten',
    )
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgresql://trivium@127.0.0.1/trivium trivium demo',
    )
    .action(async (options: { force?: true }) => {
      const force = options.force === true;
      const shown = { total: DEMO_RECORDS, unit: 'records' };
      const counts = await withProgress('demo', shown, (onProgress) =>
        runJob('loadDemo', { force }, onProgress),
      );
      output.result({ ...sumOf(counts), kinds: counts }, `demo: ${describeCounts(counts)}`);
    });
}
