import { stopSignal } from './core/stop-signal.ts';

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
