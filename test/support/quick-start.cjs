// Loaded by the processes that tests start: the embedded database lives for seconds in them, too short to be worth optimising its machine code.
require('node:v8').setFlagsFromString('--liftoff-only');
require('node:v8').setFlagsFromString('--no-wasm-tier-up');
require('node:v8').setFlagsFromString('--no-wasm-dynamic-tiering');
require('node:v8').setFlagsFromString('--wasm-lazy-validation');
// Nor is most other code: see vitest.config.ts.
if (process.version.startsWith('v20.'))
  require('node:v8').setFlagsFromString('--interrupt-budget=400000');
