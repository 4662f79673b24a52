import { resolve } from 'node:path';
import { z } from 'zod';
import { countDomain } from '../../cells/count-domain.ts';
import { deleteDomain } from '../../cells/delete-domain.ts';
import { exportDomain } from '../../cells/export-domain.ts';
import { importDomain } from '../../cells/import-domain.ts';
import { listDomains } from '../../cells/list-domains.ts';
import { lockDomain, unlockDomain } from '../../cells/lock-domain.ts';
import type { Services } from '../../core/context/context.ts';
import { job } from './control-job.ts';
import { LENT } from './lend-file.ts';

const named = z.strictObject({ domain: z.string() });

/** Where a file is that a command lends or wants; commands that open the database themselves give its path. */
const place = ({ config: { database } }: Services, file: string): string =>
  database.kind === 'embedded' ? resolve(database.dataDir, file) : resolve(file);

const lent = z.string().regex(LENT);

/** Jobs of `trivium domain`. */
export const domainJobs = {
  listDomains: job(z.strictObject({}), ({ db }) => listDomains(db)),

  countDomain: job(named, ({ db }, { domain }) => countDomain(db, domain)),

  lockDomain: job(named, (services, { domain }) => lockDomain(services, domain)),

  unlockDomain: job(named, (services, { domain }) => unlockDomain(services, domain)),

  /** Reports rows and files that are done. */
  exportDomain: job(
    z.strictObject({
      domain: z.string(),
      file: lent,
      since: lent.optional(),
      locked: z.boolean(),
    }),
    (services, { domain, file, since, locked }, signal, onProgress) =>
      exportDomain(services, {
        domain,
        locked,
        file: place(services, file),
        since: since === undefined ? undefined : place(services, since),
        signal,
        onProgress,
      }),
    ({ file, since }) => ({ made: [file], lent: since === undefined ? [] : [since] }),
  ),

  /** Reports the bytes that were read. */
  importDomain: job(
    z.strictObject({ file: lent, hold: z.boolean() }),
    (services, { file, hold }, signal, onProgress) =>
      importDomain(services, { file: place(services, file), hold, signal, onProgress }),
    ({ file }) => ({ lent: [file] }),
  ),

  /** Reports the rows that were deleted. */
  deleteDomain: job(named, (services, { domain }, signal, onProgress) =>
    deleteDomain(services, { domain, signal, onProgress }),
  ),
};
