import { stopSignal } from './core/stop-signal.ts';

// First of all, as loading the rest takes a second in which the process may be told to stop.
const stop = stopSignal();
const { explainFailure } = await import('./commands/explain-failure.ts');
try {
  const { readConfig } = await import('./core/config.ts');
  const config = readConfig(process.env);
  const { runGateway } = await import('./server/run-gateway.ts');
  await runGateway(config, stop);
} catch (error) {
  const { code, message } = explainFailure(error);
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
