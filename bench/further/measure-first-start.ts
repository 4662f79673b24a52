import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../contenders.ts';

/** Milliseconds until a gateway without a data folder is ready: embedded database made, migrated, demo data loaded. */
export async function measureFirstStart(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'));
  try {
    const gateway = await startGateway({ DATA_DIR: join(folder, 'data') });
    await gateway.stop();
    return gateway.startMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
