import { Command } from 'commander';
import type { Output } from './support/output.ts';
import { withJobs } from './support/run-job.ts';

/** Entries read at a time. */
const STEP = 20_000;

/** `trivium audit`: who did what, over all domains. */
export function auditCommand(output: Output): Command {
  const exportCommand = new Command('export')
    .description('print the entries of the audit log, the oldest first, one JSON object a line')
    .option('--days <n>', 'how many days back, up to AUDIT_DAYS', '30')
    .option('--domain <name>', 'only those of a domain')
    .addHelpText('after', '\nExample:\n  trivium audit export --days 30 > audit.ndjson')
    .action(async ({ domain, ...options }: { days: string; domain?: string }) => {
      const days = /^\d{1,5}$/.test(options.days) ? Number(options.days) : 0;
      await withJobs(async (run) => {
        for (let after: { at: string; id: number } | undefined; ;) {
          const rows = await run('auditLog', { days, domain, after, limit: STEP });
          output.list(rows, rows.map((row) => JSON.stringify(row)).join('\n'));
          const last = rows.at(-1);
          if (!last || rows.length < STEP || !output.isRead) return;
          after = { at: last.at, id: last.id };
        }
      });
    });
  return new Command('audit').description('who did what').addCommand(exportCommand);
}
