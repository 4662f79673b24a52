import { Command } from 'commander';
import { ProblemsError } from './support/problems-error.ts';
import { asUser } from './support/as-user.ts';
import { withFileSource } from './support/open-file-source.ts';
import type { Output } from './support/output.ts';
import { readId } from './support/read-id.ts';
import { KEY_VARIABLE, readKeys } from './support/read-keys.ts';
import { unpackArchive } from './support/unpack-archive.ts';
import { UsageError } from './support/usage-error.ts';
import { withProgress } from './support/with-progress.ts';
import { withServices } from './support/with-services.ts';
import {
  ArchiveError,
  openArchive,
  type ArchiveFault,
  type OpenedArchive,
  type WorkspaceKey,
} from '../sdk/e2ee.ts';

interface ArchiveOptions {
  publicKey?: string;
  anySigner?: boolean;
  keyFile?: string[];
}

/** `trivium archive verify`, `trivium archive open` and `trivium archive public-key`. */
export function archiveCommand(output: Output): Command {
  const verify = withSigner(new Command('verify'))
    .description('say which files of an export were altered, swapped, left out or added')
    .addHelpText(
      'after',
      '\nExample:\n  trivium archive verify export.zip --public-key 11qYAYKx…\n\nEvery fault is a line: file: path: kind: reason. Needs neither gateway nor database.',
    )
    .action((file: string, options: ArchiveOptions) => verifyFile(file, options, output));
  const open = withSigner(new Command('open'))
    .description('unpack an export into a folder, decrypted, checking every file')
    .requiredOption('--out <folder>', 'the folder: empty, or made by this command')
    .addHelpText(
      'after',
      '\nExample:\n  trivium archive open export.zip --out images --public-key 11qYAYKx… --key-file workspace.key\n\nA file with a fault is not written. Nothing is, where the list of files is not signed as it should be.',
    )
    .action((file: string, options: ArchiveOptions & { out: string }) =>
      openFile(file, options, output),
    );
  const publicKey = new Command('public-key')
    .description('print the public key of the signatures in exports of a workspace')
    .argument('<workspace>', 'id of the workspace')
    .requiredOption('--login <login>', 'a member of the workspace')
    .action((workspace: string, { login }: { login: string }) =>
      printPublicKey(workspace, login, output),
    );
  return new Command('archive')
    .description('check and open exports')
    .addCommand(verify)
    .addCommand(open)
    .addCommand(publicKey);
}

function withSigner(command: Command): Command {
  return command
    .argument('<file>', 'the archive')
    .option(
      '--public-key <key>',
      'who is to have signed it: from `archive public-key`, or archivePublicKey in GraphQL',
    )
    .option('--any-signer', 'take any signature; says who signed')
    .option(
      '--key-file <files...>',
      `files with the keys of an encrypted workspace; by default the environment's ${KEY_VARIABLE}`,
    );
}

async function openSigned<T>(
  file: string,
  { publicKey, anySigner, keyFile }: ArchiveOptions,
  work: (archive: OpenedArchive, keys: readonly WorkspaceKey[]) => Promise<T>,
): Promise<T> {
  if ((publicKey === undefined) !== (anySigner === true))
    throw new UsageError(
      'give --public-key, by which the signature is compared, or --any-signer: an archive can be changed and signed anew by somebody else',
    );
  if (publicKey !== undefined && !/^[A-Za-z0-9+/]{43}=$/.test(publicKey))
    throw new UsageError(
      `--public-key: ${JSON.stringify(publicKey)} is no public key, which has 44 characters of base64`,
    );
  const keys = await readKeys(keyFile);
  return withFileSource(file, async (source) => {
    const archive = await openArchive(source, { publicKey, keys }).catch((error: unknown) => {
      throw error instanceof ArchiveError ? new ArchiveError(`${file}: ${error.message}`) : error;
    });
    return work(archive, keys);
  });
}

async function verifyFile(file: string, options: ArchiveOptions, output: Output): Promise<void> {
  await openSigned(file, options, async (archive) => {
    const total = archive.files.reduce((sum, { size }) => sum + size, 0);
    const report = await withProgress(file, { total, unit: 'bytes' }, (onProgress) =>
      archive.verify(onProgress),
    );
    if (report.faults.length > 0)
      throw archiveFaults(file, report.faults, `${report.files} files were read`);
    const { files, bytes, unproven } = report;
    const { signer } = archive;
    output.result(
      { file, signer, files, bytes, unproven },
      `${file}: ${files} files as they were exported, signed by ${signer}${unprovenWords(unproven)}`,
    );
  });
}

async function openFile(
  file: string,
  options: ArchiveOptions & { out: string },
  output: Output,
): Promise<void> {
  await openSigned(file, options, async (archive, keys) => {
    const { manifest, signer, files, unproven } = archive;
    if (signer === undefined) throw archiveFaults(file, archive.faults, 'nothing was written');
    if (keys.length === 0 && manifest?.files.some(({ encrypted }) => encrypted !== undefined))
      throw new UsageError(`${file} is encrypted: give --key-file, or ${KEY_VARIABLE}`);
    const found = await withProgress(file, { total: files.length, unit: 'files' }, (onProgress) =>
      unpackArchive(archive, options.out, onProgress),
    );
    const faults = [...archive.faults, ...found];
    const written = files.length - found.length;
    if (faults.length > 0)
      throw archiveFaults(file, faults, `${written} files were written to ${options.out}`);
    output.result(
      { file, signer, folder: options.out, files: written, unproven },
      `${options.out}: ${written} files${unprovenWords(unproven)}`,
    );
  });
}

/** An archive is not what was exported: `file: path: kind: reason`, one a line. */
function archiveFaults(
  file: string,
  faults: readonly ArchiveFault[],
  outcome: string,
): ProblemsError {
  const words = `${file}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}; ${outcome}`;
  const lines = faults.map(({ path, kind, message }) => `${file}: ${path}: ${kind}: ${message}`);
  return new ProblemsError(faults, lines, words);
}

function unprovenWords(count: number): string {
  return count === 0
    ? ''
    : `; ${count} encrypted ${count === 1 ? 'image has' : 'images have'} no proof`;
}

async function printPublicKey(workspace: string, login: string, output: Output): Promise<void> {
  const workspaceId = readId(workspace, 'workspace');
  const { requireWorkspace } = await import('../dataset-management/workspaces/load-workspace.ts');
  const { loadSigningKey } =
    await import('../dataset-management/export/archive/load-signing-key.ts');
  await withServices((services) =>
    asUser(services, login, async (ctx) => {
      await requireWorkspace(ctx, workspaceId);
      const { publicKey } = await loadSigningKey(ctx, workspaceId);
      output.result({ workspace: workspaceId, publicKey }, publicKey);
    }),
  );
}
