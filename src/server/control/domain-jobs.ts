import * as z from 'zod';
import { countDomain } from '../../cells/count-domain.ts';
import { deleteDomain } from '../../cells/delete-domain.ts';
import { exportDomain } from '../../cells/export-domain.ts';
import { importDomain } from '../../cells/import-domain.ts';
import { listDomains } from '../../cells/list-domains.ts';
import { lockDomain, unlockDomain } from '../../cells/lock-domain.ts';
import { job } from './control-job.ts';
import { LENT, placeOf } from './lend-file.ts';

const named = z.strictObject({ domain: z.string() });

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
        file: placeOf(services.config, file),
        since: since === undefined ? undefined : placeOf(services.config, since),
        signal,
        onProgress,
      }),
    ({ file, since }) => ({ made: [file], lent: since === undefined ? [] : [since] }),
  ),

  /** Reports the bytes that were read. */
  importDomain: job(
    z.strictObject({ file: lent, hold: z.boolean() }),
    (services, { file, hold }, signal, onProgress) =>
      importDomain(services, {
        file: placeOf(services.config, file),
        hold,
        signal,
        onProgress,
      }),
    ({ file }) => ({ lent: [file] }),
  ),

  /** Reports the rows that were deleted. */
  deleteDomain: job(named, (services, { domain }, signal, onProgress) =>
    deleteDomain(services, { domain, signal, onProgress }),
  ),
};
