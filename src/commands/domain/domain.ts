import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { cleanWhenKilled } from '../../core/clean-when-killed.ts';
import type { JobResult } from '../../server/control/control-jobs.ts';
import { confirmName } from './confirm-name.ts';
import { nameFile } from './name-file.ts';
import { borrowFile, lend, requireTarget } from './exchange-files.ts';
import { explainFailure } from '../support/explain-failure.ts';
import { LISTS_AS_NDJSON, table, type Output } from '../support/output.ts';
import { runJob, withJobs } from '../support/run-job.ts';
import { StorageFaultError } from '../support/storage-fault.ts';
import { UsageError } from '../support/usage-error.ts';
import { withProgress } from '../support/with-progress.ts';

/** `trivium domain`: moves a domain to another installation, gives its data away, deletes it. */
export function domainCommand(output: Output): Command {
  const list = new Command('list')
    .description('list the domains, and whether they take writes')
    .addHelpText('after', LISTS_AS_NDJSON)
    .action(async () => {
      const rows = await runJob('listDomains', {});
      const cells = rows.map(({ id, name, state }) => [String(id), name, state]);
      output.list(rows, table([['ID', 'NAME', 'STATE'], ...cells]));
    });
  const exportCommand = named('export', 'write all of a domain, rows and images, into a file')
    .argument('<file>', 'the file; it gets its name when it is whole')
    .option('--since <file>', 'an earlier export: write only what has changed since')
    .option('--lock', 'first let the domain refuse writes, until `domain unlock`')
    .addHelpText(
      'after',
      '\nExample:\n  trivium domain export --domain acme acme.tar\n\nClients go on meanwhile. Stopped half-way, the same command goes on with what it has copied of the storage (<file>.partial). The file holds password hashes and session hashes: keep it as a backup.',
    )
    .action((file: string, options: ExportOptions) => runExport(file, options, output));
  const importCommand = new Command('import')
    .description('read a domain from an export: all of it, or nothing')
    .argument('<file>', 'the export')
    .option('--hold', 'keep the domain closed: an export of what has changed since is to come')
    .addHelpText(
      'after',
      '\nExample:\n  trivium domain import acme.tar\n\nRefused where the domain, one of its keys or a login is here already. Read only files that you trust, as with a dump.',
    )
    .action((file: string, { hold = false }: { hold?: boolean }) => runImport(file, hold, output));
  const lock = named('lock', 'let a domain refuse writes (503); reads go on').action(
    async ({ domain }: { domain: string }) =>
      report(output, await runJob('lockDomain', { domain })),
  );
  const unlock = named('unlock', 'let a locked domain take writes again').action(
    async ({ domain }: { domain: string }) =>
      report(output, await runJob('unlockDomain', { domain })),
  );
  const deleteCommand = named('delete', 'delete all of a domain, rows and images, for good')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExample:\n  trivium domain delete --domain acme\n\nStopped half-way, the domain stays closed; the same command goes on.',
    )
    .action((options: { domain: string; yes?: boolean }) => runDelete(options, output));
  const command = new Command('domain').description('move, export, import and delete domains');
  for (const one of [list, exportCommand, importCommand, lock, unlock, deleteCommand])
    command.addCommand(one);
  return command;
}

const named = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--domain <name>', 'name of the domain');

function report(output: Output, done: { domain: string; state: string }): void {
  output.result(
    done,
    done.state === 'LOCKED'
      ? `${done.domain} refuses writes until \`domain unlock\``
      : `${done.domain} takes writes`,
  );
}

interface ExportOptions {
  domain: string;
  since?: string;
  lock?: boolean;
}

async function runExport(
  file: string,
  { domain, since, lock = false }: ExportOptions,
  output: Output,
): Promise<void> {
  await requireTarget(file);
  if (since !== undefined) await requireFile(since);
  await withJobs(async (run, gateway) => {
    const { rows, files } = since === undefined ? await run('countDomain', { domain }) : NOTHING;
    const locked = lock && (await run('lockDomain', { domain })).was === 'OPEN';
    const shown = { total: rows + files, unit: 'rows and images' };
    let missing = 0;
    const forget = cleanWhenKilled(() => {
      if (locked) tellLocked(domain, output, 'run the same again, or `domain unlock`');
    });
    try {
      const done = await withProgress(domain, shown, (onProgress) =>
        borrowFile(gateway, resolve(file), (target) => {
          const write = (earlier?: string): Promise<JobResult<'exportDomain'>> => {
            const args = { domain, file: target, since: earlier, locked: lock };
            return nameFile(since ?? '', run('exportDomain', args, onProgress));
          };
          return since === undefined ? write() : lend(gateway, resolve(since), write);
        }),
      );
      output.result({ file, ...done }, `${file}: ${countsOf(done)}`);
      missing = done.missing.length;
    } catch (error) {
      // What was locked here, for nothing, is open again.
      if (locked)
        await run('unlockDomain', { domain }).catch((why: unknown) =>
          tellLocked(domain, output, explainFailure(why).message),
        );
      throw error;
    } finally {
      forget();
    }
    // Whoever goes on deletes the domain next, with the images that another storage may have.
    if (missing > 0)
      throw new StorageFaultError(
        `${file} is without ${missing} files that the storage does not have: see whether STORAGE and DATA_DIR are those of the gateways, before ${domain} is deleted${lock ? '; it stays locked' : ''}`,
      );
  });
}

/** Tells beside the error of the export, or as it is stopped, that its domain is still locked. */
function tellLocked(domain: string, output: Output, why: string): void {
  if (!output.json) process.stderr.write(`${domain} stays locked: ${why}\n`);
}

const NOTHING = { rows: 0, files: 0 };

async function runImport(file: string, hold: boolean, output: Output): Promise<void> {
  const total = await requireFile(file);
  const done = await withProgress(file, { total, unit: 'bytes' }, (onProgress) =>
    withJobs((run, gateway) =>
      lend(gateway, resolve(file), (lent) =>
        nameFile(file, run('importDomain', { file: lent, hold }, onProgress)),
      ),
    ),
  );
  const state = done.open ? 'is open' : 'stays closed until the rest is imported';
  output.result({ file, ...done }, `${done.domain}: ${countsOf(done)}; it ${state}`);
  if (done.missing.length > 0)
    throw new StorageFaultError(
      `${file} is without ${done.missing.length} files that the storage did not have where it was made: see whether STORAGE and DATA_DIR were those of the gateways there, before ${done.domain} is deleted there`,
    );
}

async function runDelete(
  { domain, yes = false }: { domain: string; yes?: boolean },
  output: Output,
): Promise<void> {
  if (!yes) {
    const domains = await runJob('listDomains', {});
    if (!domains.some(({ name }) => name === domain)) throw new UsageError(`no domain "${domain}"`);
    await confirmName(domain);
  }
  await withJobs(async (run) => {
    const { rows } = await run('countDomain', { domain });
    const done = await withProgress(domain, { total: rows, unit: 'rows' }, (onProgress) =>
      run('deleteDomain', { domain }, onProgress),
    );
    output.result(done, `${domain}: deleted ${done.rows} rows and ${done.files} files`);
    if (done.missing.length > 0)
      throw new StorageFaultError(
        `${done.missing.length} files of ${domain} were not in the storage: they are left elsewhere if STORAGE and DATA_DIR are not those of the gateways`,
      );
  });
}

function countsOf({
  rows,
  files,
  missing,
}: Pick<JobResult<'exportDomain'>, 'rows' | 'files' | 'missing'>): string {
  const lost = missing.length === 0 ? '' : `, ${missing.length} files that the storage has lost`;
  return `${rows} rows, ${files} files${lost}`;
}

async function requireFile(file: string): Promise<number> {
  const found = await stat(file);
  if (!found.isFile()) throw new UsageError(`${file}: is no file`);
  return found.size;
}
