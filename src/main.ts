import { setFlagsFromString } from 'node:v8';
import { stopSignal } from './core/stop-signal.ts';

// The bytes of uploads and exports count as garbage. Left to itself, V8 goes through the whole heap for every ten megabytes of them, on threads whose time it does not
// reckon: a sixth of an upload. Now it does so when heap and bytes have doubled.
setFlagsFromString('--heap-growing-percent=100');

// What the process writes is nobody else's: passwords' hashes, images, keys.
process.umask(0o077);

// First of all, as loading the rest takes a second in which the process may be told to stop.
const stop = stopSignal();
const { explainFailure } = await import('./commands/support/explain-failure.ts');
try {
  const { readConfig } = await import('./core/context/config.ts');
  const config = readConfig(process.env);
  const { runGateway } = await import('./server/run-gateway.ts');
  await runGateway(config, stop);
} catch (error) {
  const { code, message } = explainFailure(error);
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
