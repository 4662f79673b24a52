import { readlink, realpath, stat } from 'node:fs/promises';
import { Command } from 'commander';
import type { SignedInContext } from '../core/context/context.ts';
import {
  exportFormatNames,
  parseExportFormat,
} from '../dataset-management/export/selection/export-format.ts';
import { MAX_SEED, splitForm } from '../dataset-management/export/selection/split.ts';
import { openPartial } from '../storage/open-partial.ts';
import { asUser } from './support/as-user.ts';
import type { Output } from './support/output.ts';
import { readId } from './support/read-id.ts';
import { refuseOverwrite } from './support/refuse-overwrite.ts';
import { UsageError } from './support/usage-error.ts';
import { withProgress } from './support/with-progress.ts';
import { withServices } from './support/with-services.ts';
import { writeWhole } from './support/write-whole.ts';

/** A bar of what tells its share. */
const PERCENT = { total: 100, unit: '%' };

const formatHelp = `${Object.values(exportFormatNames).join(', ')}: the label files to add`;

/** `trivium project export` and `trivium project import-coco`. */
export function projectCommand(output: Output): Command {
  const exportCommand = new Command('export')
    .description('write a project as a ZIP archive')
    .argument('<project>', 'id of the project')
    .requiredOption('--login <login>', 'the user who exports')
    .requiredOption('--out <file>', 'the archive; written whole or not at all')
    .option('--filter <filter>', 'All, Accepted, Annotated or ConfigOnly', 'All')
    .option('--format <format>', formatHelp, 'Native')
    .option('--split <split>', `how the images are split: ${splitForm}`)
    .option(
      '--dataset-version <version>',
      'export this version of a dataset: <dataset>:<number>, or its id',
    )
    .option('--seed <number>', 'another seed splits by shares in another way')
    .option('--force', 'overwrite a file that exists; without it, a person at a terminal is asked')
    .addHelpText(
      'after',
      '\nExample:\n  trivium project export 5e0c… --login leader --filter Accepted --out export.zip\n  trivium project export 5e0c… --login leader --format yolo --split 80/10/10 --seed 7 --out yolo.zip\n\nWhat a format can not carry is in report.json of the archive.',
    )
    .action(async (project: string, options: Omit<ExportOptions, 'project'>) => {
      await refuseOverwrite(options.out, options);
      await withServices((services) =>
        asUser(services, options.login, (ctx) => writeExport(ctx, { project, ...options }, output)),
      );
    });
  const cocoCommand = new Command('import-coco')
    .description(
      'read the classes and annotations of a COCO file into a project; images are found by their names',
    )
    .argument('<file>', 'the COCO file')
    .requiredOption('--project <id>', 'the project')
    .requiredOption('--login <login>', 'the user who annotates')
    .option('--allow-unmatched', 'import the rest when images are not found in the project')
    .addHelpText(
      'after',
      '\nExample:\n  trivium project import-coco instances.json --project 5e0c… --login leader\n\nA file is imported whole or not at all. Faults are listed as file: image: annotation: reason.',
    )
    .action((file: string, options: Omit<CocoOptions, 'file'>) =>
      withServices((services) =>
        asUser(services, options.login, (ctx) => readCoco(ctx, { file, ...options }, output)),
      ),
    );
  return new Command('project')
    .description('exports and annotations of a project')
    .addCommand(exportCommand)
    .addCommand(cocoCommand);
}

interface ExportOptions {
  project: string;
  login: string;
  out: string;
  filter: string;
  format: string;
  split?: string;
  seed?: string;
  datasetVersion?: string;
  force?: boolean;
}

async function writeExport(
  ctx: SignedInContext,
  options: ExportOptions,
  output: Output,
): Promise<void> {
  const { parseExportFilter } =
    await import('../dataset-management/export/selection/export-filter.ts');
  const { readSplit } = await import('../dataset-management/export/selection/read-split.ts');
  const { openExport } = await import('../dataset-management/export/archive/open-export.ts');
  const filter = parseExportFilter(options.filter);
  if (!filter) throw new UsageError('--filter is All, Accepted, Annotated or ConfigOnly');
  const format = parseExportFormat(options.format);
  if (!format)
    throw new UsageError(`--format is one of ${Object.values(exportFormatNames).join(', ')}`);
  if (options.seed !== undefined && !/^\d{1,10}$/.test(options.seed))
    throw new UsageError(`--seed is an integer from 0 to ${MAX_SEED}`);
  const seed = options.seed === undefined ? undefined : Number(options.seed);
  const split = readSplit(options.split, seed);
  const { datasetVersion } = options;
  const { readVersion } = await import('../dataset-management/versions/open-version.ts');
  const version = datasetVersion === undefined ? null : await readVersion(ctx, datasetVersion);
  // A link stays, and leads to the archive.
  const out = await readlink(options.out)
    .then(() => realpath(options.out))
    .catch(() => options.out);
  const partial = await openPartial(out);
  let missingImages = 0;
  try {
    await withProgress('export', PERCENT, async (onProgress) => {
      const { bytes } = await openExport(ctx, {
        projectId: readId(options.project, 'project'),
        filter,
        format,
        split,
        version,
        onProgress: (share) => onProgress(Math.floor(share * 100)),
        onMissing: (count) => (missingImages = count),
      });
      await writeWhole(out, bytes, partial.path);
    });
  } finally {
    await partial.remove();
  }
  const { size } = await stat(out);
  if (missingImages > 0 && !output.json)
    process.stderr.write(
      `${options.out}: image files that the storage lacks: ${missingImages}; missing.txt in the archive names them\n`,
    );
  output.result({ file: options.out, bytes: size, missingImages }, options.out);
}

interface CocoOptions {
  file: string;
  project: string;
  login: string;
  allowUnmatched?: boolean;
}

async function readCoco(ctx: SignedInContext, options: CocoOptions, output: Output): Promise<void> {
  const { importFile } =
    await import('../dataset-management/annotation-import/steps/import-file.ts');
  const { actorOf, startAct } = await import('../core/context/act.ts');
  const { onRecord } = await import('../core/audit/on-record.ts');
  const { file } = options;
  const id = readId(options.project, 'project');
  const found = await stat(file);
  if (found.isDirectory()) throw new UsageError(`${file}: is a folder`);
  const what = { surface: 'COMMAND', action: 'importCoco', objects: [`Project:${id}`] } as const;
  const act = startAct({ ...actorOf(ctx), ...what }, ctx.clock);
  const { images, annotations, unmatched } = await withProgress(file, PERCENT, (onProgress) =>
    onRecord(ctx, act, () =>
      importFile(
        { ...ctx, act },
        {
          projectId: id,
          path: file,
          name: file,
          format: 'COCO',
          allowUnmatched: options.allowUnmatched ?? false,
          onProgress: (done, all) => onProgress(Math.floor((done / all) * 100)),
        },
      ),
    ),
  );
  if (!output.json)
    for (const name of unmatched)
      process.stderr.write(`${file}: image ${name}: not found in the project, or not unique\n`);
  output.result(
    { file, images, annotations, unmatched },
    `${file}: ${annotations} annotations on ${images} images, ${unmatched.length} not found`,
  );
}
