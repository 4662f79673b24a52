import { Command, CommanderError } from 'commander';
import { apiKeyCommand } from './commands/api-key.ts';
import { backupCommand } from './commands/backup.ts';
import { demoCommand } from './commands/demo.ts';
import { exitCodes, explainFailure } from './commands/support/explain-failure.ts';
import { importCommand } from './commands/import.ts';
import { legacyUsageCommand } from './commands/legacy-usage.ts';
import { migrateCommand } from './commands/migrate.ts';
import { storageCommand } from './commands/storage.ts';
import { projectCommand } from './commands/project.ts';
import { restoreCommand } from './commands/restore.ts';
import { routesCommand } from './commands/routes.ts';
import { serveCommand } from './commands/serve.ts';
import { sessionCommand } from './commands/session.ts';

// Files that a command writes are private: the database, images, backups, exports.
process.umask(0o077);

const exitCodeHelp = `
Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join('\n')}

The environment chooses the database: DATABASE_URL, or DATA_DIR for the embedded one (default .data).`;

const program = new Command('trivium')
  .description('Gateway for task execution, dataset management and an external task tracker.')
  .addHelpText('after', exitCodeHelp)
  .showHelpAfterError('(add --help for usage)')
  .exitOverride();

for (const command of [
  serveCommand(),
  migrateCommand(),
  demoCommand(),
  importCommand(),
  backupCommand(),
  restoreCommand(),
  storageCommand(),
  projectCommand(),
  sessionCommand(),
  apiKeyCommand(),
  routesCommand(),
  legacyUsageCommand(),
])
  add(command, program);

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : 1),
);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed the error.
    process.exitCode = error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code;
  } else {
    const { code, message } = explainFailure(error);
    process.stderr.write(`${message}\n`);
    process.exitCode = code;
  }
}

/** Adds a command with its subcommands; each has to inherit the settings by itself. */
function add(command: Command, parent: Command): void {
  if (command.parent !== parent) parent.addCommand(command);
  command.copyInheritedSettings(parent).addHelpText('after', exitCodeHelp);
  for (const child of command.commands) add(child, command);
}
