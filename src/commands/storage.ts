import { Command } from 'commander';
import { checkStorage } from '../dataset-management/images/blobs/check-storage.ts';
import { nameObjects } from '../dataset-management/images/blobs/name-objects.ts';
import { sweepStorage } from '../dataset-management/images/sweep-storage.ts';
import { StorageFaultError } from './support/storage-fault.ts';
import { withServices } from './support/with-services.ts';

/**
 * `trivium storage check`: compares the database with the storage; `--sweep` also removes files that nothing refers to
 * any more.
 */
export function storageCommand(): Command {
  const check = new Command('check')
    .description(
      'find missing, corrupt and orphaned objects of the storage, and leftovers of killed processes',
    )
    .option('--content', 'also read every object and compare its SHA-256')
    .option(
      '--sweep',
      'then remove what was deleted or orphaned more than 30 days ago, expired exports, and files that a killed process left on their way',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  trivium storage check --content\n  STORAGE="s3://images?endpoint=http://127.0.0.1:9000" trivium storage check --sweep\n\nMissing and corrupt objects are listed by their keys, with the images whose files they are, and make the command fail; orphans alone do not.',
    )
    .action(({ content = false, sweep = false }: { content?: boolean; sweep?: boolean }) =>
      withServices(async (services) => {
        const report = await checkStorage(services, { content });
        const names = await nameObjects(services, [...report.missing, ...report.corrupt]);
        for (const fault of ['missing', 'corrupt'] as const)
          for (const key of report[fault]) {
            process.stdout.write(`${fault} ${key}\n`);
            for (const name of names.get(key) ?? []) process.stdout.write(`  ${name}\n`);
          }
        for (const { key, modifiedAt } of report.orphans)
          process.stdout.write(`orphan ${key} ${modifiedAt.toISOString()}\n`);
        process.stdout.write(
          `${report.rows} rows, ${report.objects} objects: ${report.missing.length} missing, ${report.corrupt.length} corrupt, ${report.orphans.length} orphaned\n`,
        );
        const leftovers = await services.storage.leftovers();
        for (const { key, size, modifiedAt } of leftovers)
          process.stdout.write(`leftover ${key} ${size} ${modifiedAt.toISOString()}\n`);
        if (leftovers.length > 0)
          process.stdout.write(`${leftovers.length} files left in the staging folder\n`);
        if (sweep) {
          await services.storage.tidy();
          const swept = await sweepStorage(services);
          process.stdout.write(`swept ${swept.rows} rows and ${swept.objects} objects\n`);
        }
        const faults = report.missing.length + report.corrupt.length;
        if (faults > 0) throw new StorageFaultError(`${faults} objects are missing or corrupt`);
      }),
    );
  return new Command('storage').description('look after the stored images').addCommand(check);
}
