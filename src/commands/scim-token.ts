import { Command } from 'commander';
import { LISTS_AS_NDJSON, table, type Output } from './support/output.ts';
import { readExpiry } from './support/read-expiry.ts';
import { runJob } from './support/run-job.ts';

/**
 * `trivium scim-token`: manages the tokens with which directories manage users. Access to the database is all the
 * permission that it needs.
 */
export function scimTokenCommand(output: Output): Command {
  return new Command('scim-token')
    .description('tokens with which directories manage users by SCIM')
    .addCommand(createCommand(output))
    .addCommand(listCommand(output))
    .addCommand(revokeCommand(output))
    .addHelpText('after', '\nExample:\n  trivium scim-token create --domain acme');
}

function createCommand(output: Output): Command {
  return new Command('create')
    .description('issue a token and print it, alone, on stdout; it is never shown again')
    .requiredOption('--domain <name>', 'the domain whose users it manages')
    .option('--expires <time>', 'when the token ends by itself, e.g. 2030-01-31T00:00:00Z')
    .addHelpText(
      'after',
      '\nExample:\n  TOKEN=$(trivium scim-token create --domain acme)\n\nA domain has at most two live tokens, the old and the new one of a rotation.',
    )
    .action(async ({ domain, expires }: { domain: string; expires?: string }) => {
      const issued = await runJob('createScimToken', { domain, expiresAt: readExpiry(expires) });
      output.result(issued, issued.token);
    });
}

function listCommand(output: Output): Command {
  return new Command('list')
    .description('list tokens: prefix, domain, state, issued, last used')
    .option('--domain <name>', 'only those of a domain')
    .addHelpText('after', `\nExample:\n  trivium scim-token list --domain acme${LISTS_AS_NDJSON}`)
    .action(async ({ domain }: { domain?: string }) => {
      const tokens = await runJob('listScimTokens', { domain });
      const rows = tokens.map((token) => [
        token.prefix,
        token.domain,
        token.state,
        token.createdAt,
        token.lastUsedAt ?? 'never',
      ]);
      output.list(tokens, table(rows));
    });
}

function revokeCommand(output: Output): Command {
  return new Command('revoke')
    .description('revoke a token at once')
    .argument('<prefix>', 'how the token begins, e.g. tsc_1f0c22ab, as list prints it')
    .addHelpText('after', '\nExample:\n  trivium scim-token revoke tsc_1f0c22ab')
    .action(async (prefix: string) => {
      const token = await runJob('revokeScimToken', { prefix });
      output.result(token, `revoked ${token.prefix} of ${token.domain}`);
    });
}
