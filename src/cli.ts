import { Command, CommanderError, Help } from 'commander';
import { apiKeyCommand } from './commands/api-key.ts';
import { scimTokenCommand } from './commands/scim-token.ts';
import { archiveCommand } from './commands/archive.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup/backup.ts';
import { domainCommand } from './commands/domain/domain.ts';
import { demoCommand } from './commands/demo.ts';
import { imagesCommand } from './commands/images.ts';
import { importCommand } from './commands/import.ts';
import { legacyUsageCommand } from './commands/legacy-usage.ts';
import { migrateCommand } from './commands/migrate.ts';
import { projectCommand } from './commands/project.ts';
import { restoreCommand } from './commands/backup/restore.ts';
import { routesCommand } from './commands/routes.ts';
import { serveCommand } from './commands/serve.ts';
import { sessionCommand } from './commands/session.ts';
import { storageCommand } from './commands/storage.ts';
import { userCommand } from './commands/user.ts';
import { workspaceCommand } from './commands/workspace.ts';
import { exitCodes, explainFailure, type Failure } from './commands/support/explain-failure.ts';
import { createOutput } from './commands/support/output.ts';
import { packageVersion } from './core/package-version.ts';

// Files that a command writes are private: the database, images, backups, exports.
process.umask(0o077);

const output = createOutput(process.argv.slice(2));
const version = packageVersion();

/**
 * How long what failed may go on tidying up, in milliseconds: a server that has refused a password may keep its connection open
 * for a minute, which would keep the process.
 */
const LINGER = 2_000;

const exitCodeHelp = `
Exit codes:
${Object.values(exitCodes)
  .map(({ code, name, meaning }) => `  ${code}  ${meaning} (${name})`)
  .join('\n')}

With --json a failure is one JSON document on stderr: {"error": {"code": "USAGE", "exitCode": 2, "message": "…"}}.
The environment chooses the database: DATABASE_URL, or DATA_DIR for the embedded one (default .data).`;

const program = new Command('trivium')
  .description('Gateway for task execution, dataset management and an external task tracker.')
  .option('--json', 'print the result as one JSON document on stdout, and errors as JSON on stderr')
  .version(output.json ? JSON.stringify({ version }) : version, '-V, --version')
  .addHelpText('after', exitCodeHelp)
  .showHelpAfterError('(add --help for usage)')
  .configureHelp({
    showGlobalOptions: true,
    optionDescription(option) {
      const text = Help.prototype.optionDescription.call(this, option);
      return option.mandatory ? `${text} (required)` : text;
    },
  })
  .configureOutput(output.json ? { writeErr: () => undefined } : {})
  .exitOverride();

for (const command of [
  serveCommand(output),
  migrateCommand(output),
  demoCommand(output),
  importCommand(output),
  backupCommand(output),
  restoreCommand(output),
  domainCommand(output),
  storageCommand(output),
  projectCommand(output),
  imagesCommand(output),
  archiveCommand(output),
  workspaceCommand(output),
  sessionCommand(output),
  userCommand(output),
  apiKeyCommand(output),
  scimTokenCommand(output),
  routesCommand(output),
  legacyUsageCommand(output),
  auditCommand(output),
])
  add(command, program);

// A reader such as `head` may close the pipe early; what the command does goes on, and its exit code says how it ended.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    output.isRead = false;
    return;
  }
  const message = `the result could not be written (${error.message}); what the command has changed or made, such as a key, stays`;
  fail({ exit: exitCodes.failure, message });
  process.exit();
});

// Nor does it matter to what the command does that nobody reads, or can be told, what is wrong.
process.stderr.on('error', () => undefined);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) fail(explainFailure(error));
  else if (error.exitCode !== 0)
    fail({
      exit: exitCodes.usage,
      // Commander has printed its words already.
      message: output.json ? describe(error) : '',
    });
  setTimeout(leave, LINGER).unref();
}

/** Ends the process when all that it says is written. */
function leave(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

function fail({ exit, message, details }: Failure): void {
  const { code: exitCode, name: code } = exit;
  const error = { code, exitCode, message: withoutPrefix(message), ...details };
  if (output.json) process.stderr.write(`${JSON.stringify({ error })}\n`);
  else if (message !== '') process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

/** Where a command is missing, Commander shows the help instead of an error. */
function describe({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is missing: see --help' : message;
}

function withoutPrefix(message: string): string {
  return message.replace(/^error: /, '');
}

/** Adds a command with its subcommands; each has to inherit the settings by itself. */
function add(command: Command, parent: Command): void {
  if (command.parent !== parent) parent.addCommand(command);
  command.copyInheritedSettings(parent).addHelpText('after', exitCodeHelp);
  for (const child of command.commands) add(child, command);
}
