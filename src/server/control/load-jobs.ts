import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { appliedMigrations } from '../../core/migrations/migration-state.ts';
import { AppError } from '../../core/errors.ts';
import { beginAgain } from '../../core/failures/begin-again.ts';
import { demoState } from '../../import/demo/demo.sql.ts';
import { importRecords } from '../../import/import-records.ts';
import { loadDemo } from '../../import/load-demo.ts';
import { readLines } from '../../import/read-lines.ts';
import { job } from './control-job.ts';
import { canReadAgain, LENT, openFile } from './lend-file.ts';

/** Jobs of `trivium import`, `demo` and `migrate`. */
export const loadJobs = {
  /** Says that somebody listens. */
  greet: job(z.strictObject({}), () => Promise.resolve({})),

  migrate: job(z.strictObject({}), async ({ db, steps }) => {
    await steps.finish();
    const { last, applied } = await appliedMigrations(db);
    return { last: last ?? null, applied };
  }),

  /** Reports the bytes that were read. */
  importFile: job(
    z.strictObject({ file: z.string().regex(LENT), name: z.string() }),
    async (services, { file, name }, signal, onProgress) => {
      let read = 0;
      let source: Readable | undefined;
      async function* bytes(): AsyncGenerator<Uint8Array> {
        source = openFile(services.config, file);
        for await (const chunk of source as AsyncIterable<Uint8Array>) {
          signal.throwIfAborted();
          read += chunk.length;
          yield chunk;
          // Lets a gateway answer others in between.
          await setImmediate();
        }
        signal.throwIfAborted();
      }
      // Reading is ahead of writing, so it is asked here too whether to go on.
      const onBatch = (): void => {
        signal.throwIfAborted();
        onProgress(read);
      };
      return beginAgain(
        async () => {
          read = 0;
          try {
            return await importRecords(services, readLines(bytes()), { name, onProgress: onBatch });
          } finally {
            source?.destroy();
          }
        },
        () => canReadAgain(services, file),
      );
    },
    ({ file }) => ({ lent: [file] }),
  ),

  /** Reports the records that were written. */
  loadDemo: job(
    z.strictObject({ force: z.boolean() }),
    async (services, { force }, signal, onProgress) => {
      const state = await demoState.first(services.db, {});
      if (state?.occupied && !force)
        throw new AppError('E900', {
          message: 'the database is not empty: add --force to load the demo data all the same',
        });
      const counts = await loadDemo(services, (records) => {
        signal.throwIfAborted();
        onProgress(records);
      });
      const { loadDatasetDemo } = await import('../../import/load-dataset-demo.ts');
      await loadDatasetDemo(services, { repair: force, signal });
      return counts;
    },
  ),
};
