import { Command } from 'commander';
import type { Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';

/**
 * `trivium session create`: signs a user in without a password. Access to the database is all the permission that it
 * needs.
 */
export function sessionCommand(output: Output): Command {
  const create = new Command('create')
    .description('create a session and print its token, alone, on stdout')
    .requiredOption('--login <login>', 'login of the user')
    .addHelpText('after', '\nExample:\n  TOKEN=$(trivium session create --login me)')
    .action(async ({ login }: { login: string }) => {
      const session = await runJob('createSession', { login });
      output.result(session, session.token);
      if (!output.json && process.stderr.isTTY)
        process.stderr.write(`valid until ${session.expiresAt}\n`);
    });
  return new Command('session')
    .description('sessions of users')
    .addCommand(create)
    .addHelpText('after', '\nExample:\n  trivium session create --login me');
}
