import { Command, Option } from 'commander';
import type { UserFields } from '../server/control/user-jobs.ts';
import { LISTS_AS_NDJSON, table, type Output } from './support/output.ts';
import { runJob } from './support/run-job.ts';

interface Options {
  name?: string;
  unit?: string | false;
  profile?: string | false;
  dept?: string[];
  homeDept?: string[];
  permission?: string[] | false;
  timeZone?: string;
  lang?: string;
  view?: 'MV' | 'DV' | 'SV';
}

/** `trivium user`: manages users. Access to the database is all the permission that it needs. */
export function userCommand(output: Output): Command {
  return new Command('user')
    .description('users of a domain')
    .addCommand(listCommand(output))
    .addCommand(createCommand(output))
    .addCommand(updateCommand(output))
    .addCommand(switchCommand(output, 'disable'))
    .addCommand(switchCommand(output, 'enable'))
    .addCommand(oneTimePasswordCommand(output))
    .addCommand(unlinkCommand(output))
    .addHelpText('after', '\nExample:\n  trivium user create --login mia --domain acme');
}

function listCommand(output: Output): Command {
  return new Command('list')
    .description('list users: login, name, state, unit, profile, permissions')
    .requiredOption('--domain <name>', 'the domain')
    .option('--search <text>', 'part of the login or the name')
    .option('--disabled', 'only users who are disabled')
    .addHelpText('after', `\nExample:\n  trivium user list --domain acme${LISTS_AS_NDJSON}`)
    .action(async (options: { domain: string; search?: string; disabled?: boolean }) => {
      const { domain, search, disabled = false } = options;
      const users = await runJob('listUsers', { domain, search, disabled });
      const rows = users.map((user) => [
        user.login,
        user.displayName,
        user.disabledAt === null ? 'enabled' : 'disabled',
        user.unit ?? '-',
        user.profile ?? '-',
        user.permissions.join(',') || '-',
      ]);
      output.list(users, table(rows));
    });
}

function createCommand(output: Output): Command {
  return withFields(new Command('create'))
    .description('create a user, who has no password yet')
    .requiredOption('--login <login>', 'login name, unique over all domains')
    .requiredOption('--domain <name>', 'the domain')
    .addHelpText(
      'after',
      '\nExample:\n  trivium user create --login mia --domain acme --unit Berlin --home-dept Bakery\n  trivium user one-time-password mia',
    )
    .action(async ({ login, domain, ...options }: Options & { login: string; domain: string }) => {
      const user = await runJob('createUser', { login, domain, fields: fieldsOf(options) });
      output.result(user, `created ${user.login}`);
    });
}

function updateCommand(output: Output): Command {
  return withFields(new Command('update'))
    .description('change a user; what is left out stays as it is')
    .argument('<login>', 'the user')
    .option('--no-unit', 'no unit')
    .option('--no-profile', 'no profile')
    .option('--no-permission', 'no permissions but those of the profile')
    .addHelpText('after', '\nExample:\n  trivium user update mia --permission DOMAIN_ADMIN')
    .action(async (login: string, options: Options) => {
      const user = await runJob('updateUser', { login, fields: fieldsOf(options) });
      output.result(user, `changed ${user.login}`);
    });
}

function switchCommand(output: Output, verb: 'disable' | 'enable'): Command {
  const disabled = verb === 'disable';
  return new Command(verb)
    .description(
      disabled
        ? 'disable a user: sessions, subscriptions and calendar addresses end at once'
        : 'let a disabled user sign in again',
    )
    .argument('<login>', 'the user')
    .addHelpText('after', `\nExample:\n  trivium user ${verb} mia`)
    .action(async (login: string) => {
      const user = await runJob('switchUser', { login, disabled });
      output.result(user, `${verb}d ${user.login}`);
    });
}

function unlinkCommand(output: Output): Command {
  return new Command('unlink')
    .description('forget which identity of an OpenID provider is the user; sessions end')
    .argument('<login>', 'the user')
    .addHelpText(
      'after',
      '\nExample:\n  trivium user unlink mia\n\nThe next sign-in with this login links the user anew, as OIDC_LINK allows it.',
    )
    .action(async (login: string) => {
      const done = await runJob('unlinkUser', { login });
      output.result(done, done.unlinked ? `unlinked ${login}` : `${login} has no identity`);
    });
}

function oneTimePasswordCommand(output: Output): Command {
  return new Command('one-time-password')
    .description('make a password for the next sign-in and print it, alone, on stdout')
    .argument('<login>', 'the user, whose sessions end')
    .addHelpText(
      'after',
      '\nExample:\n  trivium user one-time-password mia\n\nIt works for seven days, and only together with a new password.',
    )
    .action(async (login: string) => {
      const issued = await runJob('setOneTimePassword', { login });
      output.result(issued, issued.password);
    });
}

function withFields(command: Command): Command {
  return command
    .option('--name <name>', 'name for display')
    .option('--unit <name>', 'unit (store)')
    .option('--profile <name>', 'profile')
    .option('--dept <names...>', 'departments; these and --home-dept replace those before')
    .option('--home-dept <names...>', 'home departments, whose confidential feeds the user sees')
    .option('--permission <names...>', 'permissions, e.g. DOMAIN_ADMIN; they replace those before')
    .option('--time-zone <zone>', 'IANA zone, e.g. Europe/Berlin')
    .option('--lang <code>', 'language, e.g. en')
    .addOption(
      new Option('--view <view>', 'view with which sessions begin').choices(['MV', 'DV', 'SV']),
    );
}

/** The options as fields; `--no-…` gives false, which clears. */
function fieldsOf(options: Options): UserFields {
  const { name, unit, profile, dept, homeDept, permission, timeZone, lang, view } = options;
  const departments = [
    ...(dept ?? []).map((one) => ({ name: one, home: false })),
    ...(homeDept ?? []).map((one) => ({ name: one, home: true })),
  ];
  return {
    displayName: name,
    unit: unit === false ? null : unit,
    profile: profile === false ? null : profile,
    departments: dept || homeDept ? departments : undefined,
    permissions: permission === false ? [] : permission,
    timeZone,
    langCode: lang,
    defaultView: view,
  };
}
