// Runs a program of the gateway, compiled from the sources as they are now: node scripts/program.mjs NAME ARGUMENTS
import { compiled } from './compiled.mjs';

const [name] = process.argv.splice(2, 1);
await import(await compiled(name));
