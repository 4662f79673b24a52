import { Command } from 'commander';
import { LISTS_AS_NDJSON, table, type Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';

/** `trivium legacy-usage`: which parts of the REST surface are still used, over all domains. */
export function legacyUsageCommand(output: Output): Command {
  return new Command('legacy-usage')
    .description('list the REST paths, parameters and clients that are still used')
    .option('--days <n>', 'how many days back, today included, 1 to 90', '30')
    .option('--domain <name>', 'only the calls of a domain')
    .addHelpText(
      'after',
      `\nExample:\n  trivium legacy-usage --days 30 | grep getCalendarData\n\nNo line for a path: it was not called. Other gateways write their counts every ten seconds.${LISTS_AS_NDJSON}`,
    )
    .action(async (options: { days: string; domain?: string }) => {
      const days = /^\d{1,3}$/.test(options.days) ? Number(options.days) : 0;
      const rows = await runJob('legacyUsage', { days, domain: options.domain });
      const lines = rows.map((row) => [
        row.method,
        row.path,
        row.parameter ?? '',
        row.client,
        String(row.hits),
        row.lastSeen,
        row.sunset ?? '',
      ]);
      output.list(rows, table([HEADINGS, ...lines]));
    });
}

const HEADINGS = ['method', 'path', 'parameter', 'client', 'hits', 'last seen', 'sunset'];
