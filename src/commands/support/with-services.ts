import { readConfig } from '../../core/context/config.ts';
import type { Services } from '../../core/context/context.ts';
import type { Log } from '../../core/log.ts';

/**
 * Opens the database that the environment names, runs `work` and closes it again. Commands report through their output,
 * and what is logged is of no interest, unless they give a log.
 */
export async function withServices<T>(
  work: (services: Services) => Promise<T>,
  log?: Log,
): Promise<T> {
  // Imported late, so that --help and wrong arguments are answered quickly.
  const { createServices } = await import('../../server/services.ts');
  const { createLog } = await import('../../core/log.ts');
  const services = await createServices(readConfig(process.env), {
    log: log ?? createLog('silent'),
  });
  try {
    return await work(services);
  } finally {
    await services.imaging.close();
    await services.storage.close();
    await services.replicas?.close();
    await services.db.close();
  }
}
