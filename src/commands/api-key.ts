import { Command } from 'commander';
import { AppError } from '../core/errors.ts';
import { nameField } from '../core/records/record-fields.ts';
import { UsageError } from './support/usage-error.ts';
import { LISTS_AS_NDJSON, table, type Output } from './support/output.ts';
import { readExpiry } from './support/read-expiry.ts';
import { runJob } from './support/run-job.ts';

/**
 * `trivium api-key`: manages the keys with which customers send tasks. Access to the database is all the permission
 * that it needs.
 */
export function apiKeyCommand(output: Output): Command {
  return new Command('api-key')
    .description('API keys of the task tracker')
    .addCommand(createCommand(output))
    .addCommand(listCommand(output))
    .addCommand(revokeCommand(output))
    .addHelpText('after', '\nExample:\n  trivium api-key create --customer acme-pos --domain acme');
}

function createCommand(output: Output): Command {
  return new Command('create')
    .description('issue a key and print it, alone, on stdout; it is never shown again')
    .requiredOption('--customer <id>', 'the customer')
    .option(
      '--domain <name>',
      'domain of the customer; customer and domain are made if they are new',
    )
    .option('--expires <time>', 'when the key ends by itself, e.g. 2030-01-31T00:00:00Z')
    .addHelpText(
      'after',
      '\nExample:\n  KEY=$(trivium api-key create --customer acme-pos --domain acme)\n\nA customer has at most two live keys, the old and the new one of a rotation.',
    )
    .action(async (options: { customer: string; domain?: string; expires?: string }) => {
      const expiresAt = readExpiry(options.expires);
      if (options.domain !== undefined && !nameField.safeParse(options.domain).success)
        throw new UsageError(`--domain: ${options.domain} is not a valid name of a domain`);
      const { customer, domain } = options;
      const issued = await runJob('createApiKey', { customer, domain, expiresAt }).catch(explain);
      output.result(issued, issued.key);
    });
}

function listCommand(output: Output): Command {
  return new Command('list')
    .description('list keys: prefix, customer, state, issued, last used')
    .option('--customer <id>', 'only those of a customer')
    .addHelpText(
      'after',
      `\nExample:\n  trivium api-key list --customer acme-pos${LISTS_AS_NDJSON}`,
    )
    .action(async (options: { customer?: string }) => {
      const keys = await runJob('listApiKeys', { customer: options.customer });
      const rows = keys.map((key) => [
        key.prefix,
        key.customer,
        key.state,
        key.createdAt,
        key.lastUsedAt ?? 'never',
      ]);
      output.list(keys, table(rows));
    });
}

function revokeCommand(output: Output): Command {
  return new Command('revoke')
    .description('revoke a key at once')
    .argument('<prefix>', 'how the key begins, e.g. ttk_1f0c22ab, as list prints it')
    .addHelpText('after', '\nExample:\n  trivium api-key revoke ttk_1f0c22ab')
    .action(async (prefix: string) => {
      const key = await runJob('revokeApiKey', { prefix });
      output.result(key, `revoked ${key.prefix} of ${key.customer}`);
    });
}

/** Says what to do about a customer that does not exist. */
function explain(error: unknown): never {
  if (error instanceof AppError && error.message === 'Customer not found')
    throw new UsageError('no such customer: add --domain to make it');
  throw error;
}
