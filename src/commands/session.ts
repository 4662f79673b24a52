import { Command } from 'commander';
import { withServices } from './support/with-services.ts';

/**
 * `trivium session create`: signs a user in without a password. Access to the database is all the permission that it
 * needs.
 */
export function sessionCommand(): Command {
  const create = new Command('create')
    .description('create a session and print its token, alone, on stdout')
    .requiredOption('--login <login>', 'login of the user')
    .addHelpText('after', '\nExample:\n  TOKEN=$(trivium session create --login me)')
    .action((options: { login: string }) =>
      withServices(async (services) => {
        const { createSession } = await import('../accounts/sessions/create-session.ts');
        const { token, expiresAt } = await createSession(services, options.login);
        process.stdout.write(`${token}\n`);
        if (process.stderr.isTTY) process.stderr.write(`valid until ${expiresAt.toISOString()}\n`);
      }),
    );
  return new Command('session')
    .description('sessions of users')
    .addCommand(create)
    .addHelpText('after', '\nExample:\n  trivium session create --login me');
}
