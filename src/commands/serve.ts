import { Command } from 'commander';
import { readConfig } from '../core/context/config.ts';
import { stopSignal } from '../core/stop-signal.ts';
import type { Output } from './support/output.ts';

/** `trivium serve`: runs the gateway until it is told to stop. */
export function serveCommand(output: Output): Command {
  return new Command('serve')
    .description('run the gateway until SIGTERM, SIGINT or SIGHUP')
    .addHelpText(
      'after',
      '\nExample:\n  PORT=4000 trivium serve\n\nWith --json all of stdout is JSON, one object a line (NDJSON): the log, and {"msg":"ready","url":…} in place of the welcome.',
    )
    .action(async () => {
      const stop = stopSignal();
      const config = readConfig(process.env);
      // Imported late: it loads the whole gateway, which is too much for the other commands.
      const { runGateway } = await import('../server/run-gateway.ts');
      // A command fails when its result can't be written, a gateway does not.
      process.stdout.removeAllListeners('error');
      await runGateway(config, stop, output.json);
    });
}
