import { Command } from 'commander';
import { readConfig } from '../../core/context/config.ts';
import { describeBackup, summariseBackup } from './describe-backup.ts';
import { embeddedPlaces } from './embedded-places.ts';
import type { Output } from '../support/output.ts';

/** `trivium backup`: writes the embedded database and the images into one file, while no gateway runs. */
export function backupCommand(output: Output): Command {
  return new Command('backup')
    .description(
      'write the embedded database and its images into one file; the gateway has to be stopped',
    )
    .argument('<file>', 'the backup, a gzipped tar file; written whole or not at all')
    .addHelpText(
      'after',
      '\nExample:\n  DATA_DIR=/var/lib/trivium trivium backup trivium-2026-11-20.tar.gz\n\nImages on S3 are not part of it. For PostgreSQL use pg_dump: docs/operations.md.',
    )
    .action(async (file: string) => {
      const places = embeddedPlaces(readConfig(process.env));
      const { writeBackup } = await import('../../storage/write-backup.ts');
      const backup = summariseBackup(await writeBackup(places, file));
      output.result({ file, ...backup }, `${file}: ${describeBackup(backup)}`);
    });
}
