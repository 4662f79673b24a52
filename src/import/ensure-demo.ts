import { createApiKey } from '../accounts/api-keys/create-api-key.ts';
import type { Services } from '../core/context/context.ts';
import { unavailable } from '../core/errors.ts';
import { demoState } from './demo/demo.sql.ts';
import { checkWritable } from '../storage/check-writable.ts';
import type { DemoMark } from './demo-mark.ts';
import { loadDemo } from './load-demo.ts';

/**
 * Loads the demo data (without datasets) if DEMO asks for it, or by default outside production into an empty embedded
 * database; never twice, but with the mark of an interrupted start it is fresh again. Throws AppError, before anything is
 * loaded, while the storage does not answer, or can't be written to.
 */
export async function ensureDemo(
  services: Services,
  mark: DemoMark,
): Promise<'absent' | 'present' | 'fresh'> {
  const { db, config, storage } = services;
  const state = await demoState.first(db, {});
  const wanted = config.demo ?? (db.embedded && !state?.occupied && !config.production);
  if (state?.domainId != null)
    return (config.demo ?? !config.production) && mark.isSet ? 'fresh' : 'present';
  if (!wanted) return 'absent';
  // Its images come last, and a later start would find the rest and not add them.
  const refuse = (fault: string, cause: unknown): never => {
    throw unavailable(
      `the storage ${fault} (${String(cause)}), and the demo data needs it: start again when it can be used, or with DEMO=false`,
      '2',
      cause,
    );
  };
  await storage.check().catch((error: unknown) => refuse('does not answer', error));
  await checkWritable(config.storage).catch((error: unknown) =>
    refuse("can't be written to", error),
  );
  mark.set();
  await loadDemo(services);
  return 'fresh';
}

/** Creates the customer `demo` with a key, unless it exists: only one start creates a key. */
export async function ensureDemoKey(services: Services): Promise<string | null> {
  const state = await demoState.first(services.db, {});
  if (state?.domainId == null || state.hasCustomer) return null;
  const { key } = await createApiKey(services, {
    customerId: 'demo',
    domainId: state.domainId,
  });
  return key;
}
