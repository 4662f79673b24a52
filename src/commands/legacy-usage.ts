import { Command } from 'commander';
import { AppError } from '../core/errors.ts';
import { UsageError } from './support/usage-error.ts';
import { runJob } from './support/run-job.ts';

/** `trivium legacy-usage`: which parts of the REST surface are still used, over all domains. */
export function legacyUsageCommand(): Command {
  return new Command('legacy-usage')
    .description('list the REST paths, parameters and clients that are still used')
    .option('--days <n>', 'how many days back, today included, 1 to 90', '30')
    .option('--domain <name>', 'only the calls of a domain')
    .option('--json', 'one JSON object a line')
    .addHelpText(
      'after',
      '\nExample:\n  trivium legacy-usage --days 30 | grep getCalendarData\n\nNo line for a path: it was not called. A running gateway writes its counts every ten seconds.',
    )
    .action(async (options: { days: string; domain?: string; json?: true }) => {
      const days = /^\d{1,3}$/.test(options.days) ? Number(options.days) : 0;
      const rows = await runJob('legacyUsage', { days, domain: options.domain }).catch(explain);
      if (options.json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
      else
        printTable([
          ['method', 'path', 'parameter', 'client', 'hits', 'last seen', 'sunset'],
          ...rows.map((row) => [
            row.method,
            row.path,
            row.parameter ?? '',
            row.client,
            String(row.hits),
            row.lastSeen,
            row.sunset ?? '',
          ]),
        ]);
    });
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

/** Treats a refusal by the operation as a usage error. */
function explain(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new UsageError(error.message);
}
