import { setFlagsFromString } from 'node:v8';
import { stopSignal } from './core/stop-signal.ts';

// The bytes of uploads and exports count as garbage. By default V8 collects the whole heap for every ten megabytes of
// them, on threads whose time it does not account for: a sixth of an upload. With this flag it does so only when heap
// and bytes have doubled.
setFlagsFromString('--heap-growing-percent=100');

// Files that the process writes are private: they contain password hashes, images, keys.
process.umask(0o077);

// Comes first, because loading the rest takes a second in which the process may be told to stop.
const stop = stopSignal();
const { explainFailure } = await import('./commands/support/explain-failure.ts');
try {
  const { readConfig } = await import('./core/context/config.ts');
  const config = readConfig(process.env);
  const { runGateway } = await import('./server/run-gateway.ts');
  await runGateway(config, stop);
} catch (error) {
  const { exit, message } = explainFailure(error);
  process.stderr.write(`${message}\n`);
  process.exit(exit.code);
}
