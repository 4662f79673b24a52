import { Command } from 'commander';
import { readConfig } from '../../core/context/config.ts';
import { describeBackup, summariseBackup } from './describe-backup.ts';
import { embeddedPlaces } from './embedded-places.ts';
import type { Output } from '../support/output.ts';

/** `trivium restore`: puts a backup into an empty DATA_DIR. */
export function restoreCommand(output: Output): Command {
  return new Command('restore')
    .description('put a backup into an empty DATA_DIR, every file compared with its checksum')
    .argument('<file>', 'what trivium backup wrote')
    .addHelpText(
      'after',
      '\nExample:\n  DATA_DIR=/var/lib/trivium trivium restore trivium-2026-11-20.tar.gz\n\nNothing is overwritten; of a damaged or truncated file nothing is kept.',
    )
    .action(async (file: string) => {
      const places = embeddedPlaces(readConfig(process.env));
      const { restoreBackup } = await import('../../storage/restore-backup.ts');
      const backup = summariseBackup(await restoreBackup(file, places));
      const { dataDir } = places;
      output.result({ file, dataDir, ...backup }, `${dataDir}: ${describeBackup(backup)}`);
    });
}
