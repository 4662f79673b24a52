// Starts the gateway, compiled from the sources as they are now.
import { compiled } from './compiled.mjs';

await import(await compiled('main'));
