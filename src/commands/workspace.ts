import { Command } from 'commander';
import type { Output } from './support/output.ts';
import { readGivenFile, readKey } from './support/read-keys.ts';
import { ProblemsError } from './support/problems-error.ts';
import { UsageError } from './support/usage-error.ts';
import { withProgress } from './support/with-progress.ts';
import { gatewayAddress, reachingFetch, sessionToken } from './upload/reach-gateway.ts';
import { retryingFetch } from './upload/retrying-fetch.ts';
import { stopInSteps } from './upload/stop-in-steps.ts';
import { cancelKeyRotation, resumeKeyRotation, rotateWorkspaceKey } from '../sdk/e2ee.ts';

interface RotateOptions {
  gateway: string;
  oldKeyFile: string;
  newKeyFile: string;
  tokenFile?: string;
  resume?: boolean;
  cancel?: boolean;
  forgetDeleted?: boolean;
}

/** `trivium workspace rotate-key`, which runs where the keys are and talks to the gateway as any client does. */
export function workspaceCommand(output: Output): Command {
  const rotate = new Command('rotate-key')
    .description('encrypt every image of an encrypted workspace anew under another key')
    .argument('<workspace>', 'id of the workspace')
    .requiredOption('--gateway <url>', 'address of the gateway; keys are never sent there')
    .requiredOption('--old-key-file <file>', 'file with the key that is left')
    .requiredOption('--new-key-file <file>', 'file with the new key')
    .option(
      '--token-file <file>',
      "file with a session's token; by default the environment's TRIVIUM_TOKEN",
    )
    .option('--resume', 'only move images; for members who are not owners')
    .option('--cancel', 'go back to the old key')
    .option('--forget-deleted', 'give up deleted images under the old key for good')
    .addHelpText(
      'after',
      '\nExample:\n  trivium workspace rotate-key 3f25… --gateway https://gateway.example --old-key-file old.key --new-key-file new.key\n\nStopped by Ctrl-C, SIGTERM or SIGHUP, it ends the images that it is moving. Run it again to go on after an interruption. Both keys are valid until the end.',
    )
    .action((workspace: string, options: RotateOptions) => rotateKey(workspace, options, output));
  return new Command('workspace').description('keys of encrypted workspaces').addCommand(rotate);
}

async function rotateKey(
  workspaceId: string,
  options: RotateOptions,
  output: Output,
): Promise<void> {
  const { oldKeyFile, newKeyFile, forgetDeleted = false } = options;
  if (options.resume && options.cancel)
    throw new UsageError('--resume and --cancel exclude each other');
  const baseUrl = gatewayAddress('--gateway', options.gateway);
  const token = await readToken(options.tokenFile);
  const [oldKey, newKey] = [await readKey(oldKeyFile), await readKey(newKeyFile)];
  const { stop, abort, release } = stopInSteps();
  const gateway = { baseUrl, token, fetch: reachingFetch(baseUrl, retryingFetch(abort, { stop })) };
  const keys = { oldKey, newKey, forgetDeleted, signal: stop };
  const rotate = options.cancel
    ? cancelKeyRotation
    : options.resume
      ? resumeKeyRotation
      : rotateWorkspaceKey;
  try {
    const { moved, failed } = await withProgress(workspaceId, { total: 100, unit: '%' }, (show) => {
      const onProgress = (done: number, all: number): void =>
        show(Math.floor((done / Math.max(all, 1)) * 100));
      return rotate(gateway, workspaceId, { ...keys, onProgress });
    });
    if (failed.length > 0) {
      const words = `${workspaceId}: ${moved} images moved, ${failed.length} not; both keys are still valid`;
      const lines = failed.map(
        ({ imageId, name, message }) => `${workspaceId}: ${imageId} ${name}: ${message}`,
      );
      throw new ProblemsError(failed, lines, words);
    }
    output.result({ workspace: workspaceId, moved }, `${workspaceId}: ${moved} images moved`);
  } finally {
    release();
  }
}

async function readToken(file: string | undefined): Promise<string> {
  const token = file === undefined ? process.env.TRIVIUM_TOKEN : String(await readGivenFile(file));
  if (!token?.trim())
    throw new UsageError('give --token-file, or TRIVIUM_TOKEN in the environment');
  return sessionToken(file ?? 'TRIVIUM_TOKEN', token);
}
