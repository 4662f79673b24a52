import { Command } from 'commander';
import type { JobResult } from '../server/control/control-jobs.ts';
import type { Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';
import { StorageFaultError } from './support/storage-fault.ts';

/**
 * `trivium storage check`: compares the database with the storage; `--sweep` also removes files that nothing refers to
 * any more.
 */
export function storageCommand(output: Output): Command {
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
    .action(async ({ content = false, sweep = false }: { content?: boolean; sweep?: boolean }) => {
      const report = await runJob('checkStorage', { content, sweep });
      output.result(report, describe(report).join('\n'));
      const faults = report.missing.length + report.corrupt.length;
      if (faults > 0) throw new StorageFaultError(`${faults} objects are missing or corrupt`);
    });
  return new Command('storage').description('look after the stored images').addCommand(check);
}

/** The report in words, line by line. */
function describe(report: JobResult<'checkStorage'>): string[] {
  const { missing, corrupt, orphans, leftovers, swept } = report;
  const faults = (name: string, found: typeof missing): string[] =>
    found.flatMap(({ key, of }) => [`${name} ${key}`, ...of.map((image) => `  ${image}`)]);
  return [
    ...faults('missing', missing),
    ...faults('corrupt', corrupt),
    ...orphans.map(({ key, modifiedAt }) => `orphan ${key} ${modifiedAt}`),
    `${report.rows} rows, ${report.objects} objects: ${missing.length} missing, ${corrupt.length} corrupt, ${orphans.length} orphaned`,
    ...leftovers.map(({ key, size, modifiedAt }) => `leftover ${key} ${size} ${modifiedAt}`),
    ...(leftovers.length > 0 ? [`${leftovers.length} files left in the staging folder`] : []),
    ...(swept ? [`swept ${swept.rows} rows and ${swept.objects} objects`] : []),
  ];
}
