import * as z from 'zod';
import { createApiKey } from '../../accounts/api-keys/create-api-key.ts';
import { endApiKey } from '../../accounts/api-keys/end-api-key.ts';
import { findApiKeys } from '../../accounts/api-keys/find-api-keys.ts';
import { exportAuditLog } from '../../accounts/audit/export-audit-log.ts';
import { describeDates } from '../../accounts/credentials/credential-dates.ts';
import { createSession } from '../../accounts/sessions/create-session.ts';
import { findDomain } from '../../cells/find-domain.ts';
import type { Services } from '../../core/context/context.ts';
import { writeAuditLog } from '../../core/context/write-audit-log.ts';
import type { Signal } from '../../core/signal.ts';
import { checkStorage } from '../../dataset-management/images/blobs/check-storage.ts';
import { nameObjects } from '../../dataset-management/images/blobs/name-objects.ts';
import { sweep } from '../../dataset-management/sweep/sweep.ts';
import { findLegacyUsage } from '../legacy-usage/find-legacy-usage.ts';
import { job, type ControlJob, type JobFiles } from './control-job.ts';
import { domainJobs } from './domain-jobs.ts';
import { loadJobs } from './load-jobs.ts';
import { scimTokenJobs } from './scim-token-jobs.ts';
import { userJobs } from './user-jobs.ts';

/** What commands may ask of a running gateway, and nothing else. */
const controlJobs = {
  ...userJobs,
  ...loadJobs,
  ...scimTokenJobs,
  ...domainJobs,

  createSession: job(z.strictObject({ login: z.string() }), async (services, { login }) => {
    const { token, expiresAt } = await createSession(services, login);
    return { login, token, expiresAt: expiresAt.toISOString() };
  }),

  createApiKey: job(
    z.strictObject({
      customer: z.string(),
      domain: z.string().optional(),
      expiresAt: z.iso.datetime().nullable(),
    }),
    async (services, { customer, domain, expiresAt }) => {
      const { key, apiKey } = await createApiKey(services, {
        customerId: customer,
        domainName: domain,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      });
      return { key, prefix: apiKey.prefix, customer, expiresAt };
    },
  ),

  listApiKeys: job(
    z.strictObject({ customer: z.string().optional() }),
    async (services, { customer }) => {
      const now = new Date(services.clock());
      return (await findApiKeys(services, { customerId: customer })).map((key) => ({
        prefix: key.prefix,
        customer: key.customerId,
        ...describeDates(key, now),
      }));
    },
  ),

  revokeApiKey: job(z.strictObject({ prefix: z.string() }), async (services, { prefix }) => {
    const key = await endApiKey(services, { key: prefix });
    return {
      prefix: key.prefix,
      customer: key.customerId,
      revokedAt: key.revokedAt?.toISOString() ?? null,
    };
  }),

  checkStorage: job(
    z.strictObject({ content: z.boolean(), sweep: z.boolean() }),
    async (services, { content, sweep }, signal) => {
      const report = await checkStorage(services, { content, signal });
      const names = await nameObjects(services, [...report.missing, ...report.corrupt]);
      const named = (keys: readonly string[]): { key: string; of: string[] }[] =>
        keys.map((key) => ({ key, of: names.get(key) ?? [] }));
      const leftovers = await services.storage.leftovers();
      if (sweep) await services.storage.tidy();
      return {
        rows: report.rows,
        objects: report.objects,
        missing: named(report.missing),
        corrupt: named(report.corrupt),
        orphans: report.orphans.map(({ key, modifiedAt }) => ({
          key,
          modifiedAt: modifiedAt.toISOString(),
        })),
        leftovers: leftovers.map(({ key, size, modifiedAt }) => ({
          key,
          size,
          modifiedAt: modifiedAt.toISOString(),
        })),
        swept: sweep ? await sweepOnRecord(services, signal) : null,
      };
    },
  ),

  auditLog: job(
    z.strictObject({
      days: z.int(),
      domain: z.string().optional(),
      after: z.strictObject({ at: z.iso.datetime(), id: z.int() }).optional(),
      limit: z.int().min(1).max(100_000),
    }),
    exportAuditLog,
  ),

  legacyUsage: job(
    z.strictObject({ days: z.int(), domain: z.string().optional() }),
    async (services, { days, domain: name }) => {
      await services.usage.flush();
      const domain = name === undefined ? undefined : await findDomain(services.db, name);
      const found = await findLegacyUsage(services, { days, domainId: domain?.id });
      return found.map(({ deprecation, lastSeen, ...row }) => ({
        ...row,
        lastSeen: lastSeen.toISOString(),
        sunset: deprecation?.sunset ?? null,
        replacement: deprecation?.successor ?? null,
      }));
    },
  ),
};

/** Sweeps as an operator asked: gateways do it unasked, too, and leave no entry. */
async function sweepOnRecord(services: Services, signal: Signal): ReturnType<typeof sweep> {
  const swept = await sweep(services, signal);
  const at = new Date(services.clock());
  const who = { actor: 'operator', surface: 'COMMAND' } as const;
  await writeAuditLog(services.db, { ...who, action: 'sweepStorage', at });
  return swept;
}

type Jobs = typeof controlJobs;
export type JobName = keyof Jobs;
export type JobArgs<N extends JobName> = z.input<Jobs[N]['args']>;
export type JobResult<N extends JobName> = Awaited<ReturnType<Jobs[N]['run']>>;

const jobs: { [N in JobName]: ControlJob<JobArgs<N>, JobResult<N>> } = controlJobs;

export const isJobName = (name: string): name is JobName => Object.hasOwn(jobs, name);

/** Reads the arguments of a job that another process sent; undefined where they are not what it takes. */
export function readArgs<N extends JobName>(name: N, text: string): JobArgs<N> | undefined {
  try {
    return jobs[name].args.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The files in the data folder that a job reads and writes for its command. */
export const filesOf = <N extends JobName>(name: N, args: JobArgs<N>): JobFiles =>
  jobs[name].files(args);

/** What a job works with. */
export interface JobSetting {
  services: Services;
  signal: Signal;
  onProgress: (done: number) => void;
}

export function runJob<N extends JobName>(
  name: N,
  args: JobArgs<N>,
  { services, signal, onProgress }: JobSetting,
): Promise<JobResult<N>> {
  return jobs[name].run(services, args, signal, onProgress);
}
