import { Command } from 'commander';
import { demoState } from '../import/demo/demo.sql.ts';
import { describeCounts, sumOf } from './support/describe-counts.ts';
import type { Output } from './support/output.ts';
import { UsageError } from './support/usage-error.ts';
import { showProgress } from './support/show-progress.ts';
import { withServices } from './support/with-services.ts';

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
    .action((options: { force?: true }) =>
      withServices(async (services) => {
        const state = await demoState.first(services.db, {});
        if (state?.occupied && !options.force)
          throw new UsageError(
            'the database is not empty: add --force to load the demo data all the same',
          );
        const { loadDemo } = await import('../import/load-demo.ts');
        const { loadDatasetDemo } = await import('../import/load-dataset-demo.ts');
        const progress = showProgress('demo', DEMO_RECORDS, 'records');
        const counts = await loadDemo(services, (records) => progress.set(records)).finally(() =>
          progress.stop(),
        );
        await loadDatasetDemo(services);
        output.result({ ...sumOf(counts), kinds: counts }, `demo: ${describeCounts(counts)}`);
      }),
    );
}
