import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../core/context/config.ts';
import type { ImportCounts } from '../import/import-records.ts';
import { lendFile, openFile } from '../server/control/lend-file.ts';
import { describeCounts, sumOf } from './support/describe-counts.ts';
import type { Output } from './support/output.ts';
import { withJobs, type RunJob } from './support/run-job.ts';
import { UsageError } from './support/usage-error.ts';
import { withProgress } from './support/with-progress.ts';

/** `trivium import`: imports NDJSON files one after the other, each of them whole or not at all. */
export function importCommand(output: Output): Command {
  return new Command('import')
    .description(
      'import NDJSON files, each of them whole or not at all (format: docs/import-format.md)',
    )
    .argument('<file...>', 'files to import in this order; - reads standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  trivium import work.ndjson\n  node convert.mjs | trivium import -\n\nFaults are listed as file:line: field: reason. The first file with a fault ends the command; files before it stay imported.\n\nWith --json one JSON object for each file (NDJSON), with the numbers of new, changed and same records, in total and by kind; the error has the faults as {line, field, reason}, at most 100 of them, and their total.',
    )
    .action(async (files: string[]) => {
      const sources = await Promise.all(files.map(describeSource));
      await withJobs(async (run, gateway) => {
        for (const source of sources) {
          const counts = await importSource(source, run, gateway);
          output.result(
            { file: source.name, ...sumOf(counts), kinds: counts },
            `${source.name}: ${describeCounts(counts)}`,
          );
        }
      });
    });
}

interface Source {
  name: string;
  /** Path from anywhere; - is standard input. */
  file: string;
  bytes: number;
}

async function describeSource(file: string): Promise<Source> {
  if (file === '-') return { name: 'stdin', bytes: 0, file };
  const found = await stat(file);
  if (found.isDirectory()) throw new UsageError(`${file}: is a folder`);
  return { name: file, bytes: found.size, file: resolve(file) };
}

/** Imports one file; a gateway that runs on the data folder gets a copy of it. */
function importSource(
  { name, file, bytes }: Source,
  runJob: RunJob,
  gateway: string | undefined,
): Promise<ImportCounts> {
  return withProgress(name, { total: bytes, unit: 'bytes' }, (onProgress) => {
    const run = (from: string): Promise<ImportCounts> =>
      runJob('importFile', { file: from, name }, onProgress);
    return gateway === undefined
      ? run(file)
      : lendFile(gateway, () => openFile(readConfig(process.env), file), run);
  });
}
