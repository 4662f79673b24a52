import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { StoppedError } from '../core/stop-signal.ts';
import type { Gateway } from '../sdk/gateway.ts';
import type { Output } from './support/output.ts';
import { ProblemsError } from './support/problems-error.ts';
import { readId } from './support/read-id.ts';
import { UsageError } from './support/usage-error.ts';
import { withProgress } from './support/with-progress.ts';
import { stopInSteps } from './upload/stop-in-steps.ts';

interface UploadOptions {
  dataset: string;
  url?: string;
  login?: string;
  parallel: string;
  keyFile?: string;
  state?: string;
}

/** `trivium images upload`. */
export function imagesCommand(output: Output): Command {
  const upload = new Command('upload')
    .description(
      'upload the images of a folder to a dataset of a running gateway, with their paths',
    )
    .argument('<folder>', 'the folder')
    .requiredOption('--dataset <id>', 'the dataset')
    .option('--url <url>', 'address of the gateway (TRIVIUM_URL, else http://127.0.0.1:4000)')
    .option(
      '--login <login>',
      'sign in with the password in TRIVIUM_PASSWORD, instead of TRIVIUM_TOKEN',
    )
    .option('--parallel <n>', 'images at once, 1 to 16', '4')
    .option('--key-file <file>', 'key of an encrypted workspace, instead of TRIVIUM_WORKSPACE_KEY')
    .option(
      '--state <file>',
      'what was uploaded; .trivium-upload-<dataset> in the folder by default',
    )
    .addHelpText(
      'after',
      '\nExample:\n  TRIVIUM_TOKEN=… trivium images upload ./photos --dataset 5e0c… --url https://gateway.example\n\nStopped by Ctrl-C, SIGTERM or SIGHUP, it ends the images that it is sending; the same command goes on later, and sends nothing twice. A second one stops at once.',
    )
    .action((folder: string, options: UploadOptions) => runUpload(folder, options, output));
  return new Command('images').description('images of datasets').addCommand(upload);
}

async function runUpload(folder: string, options: UploadOptions, output: Output): Promise<void> {
  const datasetId = readId(options.dataset, 'dataset');
  const parallel = /^\d{1,2}$/.test(options.parallel) ? Number(options.parallel) : 0;
  if (parallel < 1 || parallel > 16) throw new UsageError('--parallel is a number from 1 to 16');
  const found = await stat(folder);
  if (!found.isDirectory()) throw new UsageError(`${folder}: is no folder`);
  const { openGateway, signOut } = await import('./upload/open-gateway.ts');
  const { readDataset } = await import('./upload/remote-dataset.ts');
  const { retryingFetch } = await import('./upload/retrying-fetch.ts');
  const { scanFolder } = await import('./upload/scan-folder.ts');
  const { openSender } = await import('./upload/send-image.ts');
  const { uploadFolder } = await import('./upload/upload-folder.ts');
  const { UploadJournal } = await import('./upload/upload-journal.ts');
  const { stop, abort, release } = stopInSteps();
  let signedIn: Gateway | undefined;
  try {
    const gateway = await openGateway(options, retryingFetch(abort, { stop }));
    // A token that was given may be needed still.
    if (options.login !== undefined) signedIn = gateway;
    const dataset = await readDataset(gateway, datasetId);
    const sender = await openSender(gateway, datasetId, dataset, options.keyFile);
    const { images, skipped, unreadable } = await scanFolder(resolve(folder));
    const state = options.state ?? join(folder, `.trivium-upload-${datasetId}`);
    const journal = await UploadJournal.open(state, {
      gateway: gateway.baseUrl,
      dataset: datasetId,
    });
    if (!output.json)
      for (const { path, reason } of skipped) process.stderr.write(`${path}: ${reason}\n`);
    let done = 0;
    const shown = { total: images.length, unit: 'images' };
    const outcome = await withProgress(folder, shown, (onProgress) =>
      uploadFolder({
        gateway,
        datasetId,
        dataset,
        sender,
        journal,
        images,
        unreadable,
        parallel,
        stop,
        onImage: () => onProgress(++done),
      }),
    );
    const { uploaded, present, failed, left } = outcome;
    output.result(
      { dataset: datasetId, ...outcome, skipped },
      `${folder}: ${uploaded} uploaded, ${present} there already, ${failed.length} failed, ${skipped.length} passed over`,
    );
    if (failed.length > 0) {
      const lines = failed.map(({ path, reason }) => `${path}: ${reason}`);
      const all = failed.length + uploaded + present;
      const words = `${failed.length} of ${all} images could not be stored`;
      throw new ProblemsError(lines, lines, words, all);
    }
    if (left > 0)
      throw new StoppedError(
        `stopped: ${left} images are left; run the same command again to go on`,
      );
  } finally {
    if (signedIn) await signOut(signedIn);
    release();
  }
}
