import type { Services, SignedInContext } from '../../../core/context/context.ts';
import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { AppError } from '../../../core/errors.ts';
import { inBatches } from '../../content/in-batches.ts';
import { checkAttempts, runClaimed } from '../../content/run-claimed.ts';
import { ownerContext } from '../../export/jobs/owner-context.ts';
import { requireProject } from '../../projects/load-project.ts';
import { writeClasses } from '../../projects/write-classes.ts';
import { FileFault } from '../files/file-fault.ts';
import { ImportFaults } from '../source/import-faults.ts';
import { importFormats } from '../source/import-source.ts';
import { openSource } from '../steps/open-source.ts';
import { planImport, type ImportPlan } from '../steps/plan-import.ts';
import { ChangedMeanwhileError, writeImages } from '../steps/write-images.ts';
import {
  claimAnnotationImport,
  finishAnnotationImport,
  holdAnnotationImport,
  renewAnnotationImport,
  type ClaimedImport,
} from './claim-annotation-import.ts';
import { MOST_LISTED, reportOf } from './import-report.ts';

/** How long the report is kept, in milliseconds. */
export const KEEP_MS = 7 * 24 * 3600 * 1000;
/**
 * Images, and characters of their annotations as JSON, that one transaction writes, about 2,000 boxes: who annotates waits no
 * longer than for that or for one image, nor does anybody of the embedded database.
 */
const BATCH = { items: 50, weight: 128 * 1024 };

/** How far an import has come. */
interface Course {
  share: number;
  faults: ImportFaults;
  scratch: StagedBlob[];
  plan: ImportPlan | undefined;
  changed: number;
}

/** Runs the oldest import that nobody runs, if there is one, from its beginning: what it wrote before stays as it is. */
export async function runNextImport(services: Services): Promise<void> {
  const job = await claimAnnotationImport(services);
  if (!job) return;
  const { id, attempts } = job;
  const logged = { job: id };
  const faults = new ImportFaults(MOST_LISTED);
  const course: Course = { share: 0, faults, scratch: [], plan: undefined, changed: 0 };
  const renew = (): Promise<boolean> => renewAnnotationImport(services, job, course.share);
  const end = (failed: boolean): Promise<void> => {
    const now = services.clock();
    const refused = failed || (faults.total > 0 && !job.dryRun);
    return finishAnnotationImport(services, job, {
      state: refused ? 'FAILED' : 'SUCCEEDED',
      report: reportOf(course.plan, faults, course.changed),
      finishedAt: new Date(now),
      expiresAt: new Date(now + KEEP_MS),
    }).catch((error: unknown) =>
      services.log.error({ err: error, ...logged }, 'end of an import could not be stored'),
    );
  };
  const fail = (message: string): void => faults.add({ file: job.name, message });
  await runClaimed(
    services,
    { kind: 'import of annotations', logged, attempts, renew },
    async (stop) => {
      checkAttempts(job);
      await runImport(services, job, course, stop);
      await end(false);
    },
    async (error) => {
      if (error instanceof FileFault) fail(`the file ${error.message}`);
      else if (error instanceof AppError || error instanceof ChangedMeanwhileError)
        fail(error.message);
      else {
        services.log.error({ err: error, ...logged }, 'import of annotations failed');
        fail('could not be imported: try again');
      }
      await end(true);
    },
  ).finally(() => Promise.all(course.scratch.map((blob) => blob.discard())));
}

/**
 * Reads and checks all of the file first; then, unless it is only rehearsed or has faults, writes the classes, and the images
 * in batches. One transaction for all of it would keep everybody from annotating in the project until its end.
 */
async function runImport(
  services: Services,
  job: ClaimedImport,
  course: Course,
  stop: AbortController,
): Promise<void> {
  const { faults, scratch } = course;
  const { signal } = stop;
  const ctx = await ownerContext(services, job.ownerId, 'import');
  const { id: projectId } = await requireProject(ctx, job.projectId, 'change');
  if (job.storageKey === null) throw new Error('its file has gone');
  const file = await services.storage.stage(services.storage.get(job.storageKey), { signal });
  scratch.push(file);
  if (file.sha256 !== job.sha256)
    throw new Error(
      `the storage has other bytes than were sent under ${job.storageKey} (${file.size} now)`,
    );
  const source = await openSource(
    { path: file.path, size: file.size, name: job.name },
    {
      format: importFormats.find((format) => format === job.format) ?? null,
      faults,
      storage: services.storage,
      scratch,
    },
  );
  const plan = await planImport(ctx, {
    projectId,
    source,
    faults,
    allowUnmatched: job.allowUnmatched,
    mostNames: MOST_LISTED,
    onImage: (done, all) => {
      signal.throwIfAborted();
      course.share = (done / all) * (job.dryRun ? 1 : 0.5);
    },
  });
  course.plan = plan;
  if (faults.total === 0 && !job.dryRun) await write(ctx, job, { course, plan, stop });
}

async function write(
  ctx: SignedInContext,
  job: ClaimedImport,
  { course, plan, stop }: { course: Course; plan: ImportPlan; stop: AbortController },
): Promise<void> {
  const { projectId } = job;
  const { classes, images } = plan;
  const inPart = <T>(work: (tx: SignedInContext) => Promise<T>): Promise<T> =>
    inTransaction(ctx, async (tx) => {
      if (!(await holdAnnotationImport(tx, job))) stop.abort();
      stop.signal.throwIfAborted();
      return work(tx);
    });
  await inPart((tx) => writeClasses(tx.db, projectId, classes));
  let done = 0;
  for (const batch of inBatches(images, BATCH, ({ length }) => length)) {
    course.changed += await inPart((tx) => writeImages(tx, projectId, batch));
    done += batch.length;
    course.share = 0.5 + done / images.length / 2;
  }
}
