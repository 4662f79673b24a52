import { Command } from 'commander';
import { readConfig } from '../core/context/config.ts';
import { describeBackup } from './support/describe-backup.ts';
import { embeddedPlaces } from './support/embedded-places.ts';

/** `trivium restore`: puts a backup into an empty DATA_DIR. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup into an empty DATA_DIR, every file compared with its checksum')
    .argument('<file>', 'what trivium backup wrote')
    .addHelpText(
      'after',
      '\nExample:\n  DATA_DIR=/var/lib/trivium trivium restore trivium-2026-11-20.tar.gz\n\nNothing is overwritten; of a damaged or truncated file nothing is kept.',
    )
    .action(async (file: string) => {
      const places = embeddedPlaces(readConfig(process.env));
      const { restoreBackup } = await import('../storage/restore-backup.ts');
      process.stdout.write(
        `${places.dataDir}: ${describeBackup(await restoreBackup(file, places))}\n`,
      );
    });
}
