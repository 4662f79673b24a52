import { Command } from 'commander';
import { withServices } from './support/with-services.ts';

/** `trivium migrate`: brings the database to the current migration; opening it does so. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database to the current migration')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgresql://trivium@127.0.0.1/trivium trivium migrate',
    )
    .action(() =>
      withServices(async ({ db }) => {
        const [row] = await db.rows(
          'SELECT max(migration_name), count(*) FROM _prisma_migrations WHERE finished_at IS NOT NULL',
          [],
        );
        process.stdout.write(
          `The database is at migration ${row?.[0] ?? 'none'} (${row?.[1] ?? 0} applied).\n`,
        );
      }),
    );
}
