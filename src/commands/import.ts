import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import type { Services } from '../core/context/context.ts';
import { readLines } from '../import/read-lines.ts';
import { describeCounts, sumOf } from './support/describe-counts.ts';
import type { Output } from './support/output.ts';
import { showProgress } from './support/show-progress.ts';
import { UsageError } from './support/usage-error.ts';
import { withServices } from './support/with-services.ts';

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
      await withServices(async (services) => {
        for (const source of sources) await importFile(services, source, output);
      });
    });
}

interface Source {
  name: string;
  bytes: number;
  open(): AsyncIterable<Uint8Array>;
}

async function describeSource(file: string): Promise<Source> {
  if (file === '-') return { name: 'stdin', bytes: 0, open: () => process.stdin };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  if (found.isDirectory()) throw new UsageError(`${file}: is a folder`);
  return { name: file, bytes: found.size, open: () => createReadStream(file) };
}

async function importFile(services: Services, source: Source, output: Output): Promise<void> {
  const { importRecords } = await import('../import/import-records.ts');
  const progress = showProgress(source.name, source.bytes, 'bytes');
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.open()) {
      read += chunk.length;
      yield chunk;
    }
  }
  const options = { name: source.name, onProgress: () => progress.set(read) };
  const counts = await importRecords(services, readLines(counted()), options).finally(() =>
    progress.stop(),
  );
  output.result(
    { file: source.name, ...sumOf(counts), kinds: counts },
    `${source.name}: ${describeCounts(counts)}`,
  );
}
