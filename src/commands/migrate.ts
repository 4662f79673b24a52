import { Command } from 'commander';
import { appliedMigrations } from '../core/database/migrate.ts';
import type { Output } from './support/output.ts';
import { withServices } from './support/with-services.ts';

/** `trivium migrate`: applies all pending migrations, by opening the database. */
export function migrateCommand(output: Output): Command {
  return new Command('migrate')
    .description('bring the database to the current migration')
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgresql://trivium@127.0.0.1/trivium trivium migrate',
    )
    .action(() =>
      withServices(async ({ db }) => {
        const { last, applied } = await appliedMigrations(db);
        output.result(
          { last: last ?? null, applied },
          `The database is at migration ${last ?? 'none'} (${applied} applied).`,
        );
      }),
    );
}
