import { transformAsync } from '@babel/core';
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.ts';

/** The tests of this folder, from the root of the repository, with the plugin that Relay needs in whatever builds an application. */
export default defineConfig({
  ...root,
  plugins: [
    {
      name: 'relay',
      enforce: 'pre',
      async transform(code, filename) {
        if (!/\bgraphql`/.test(code) || !filename.includes('/test/clients/relay/'))
          return undefined;
        const result = await transformAsync(code, {
          filename,
          cwd: import.meta.dirname,
          babelrc: false,
          configFile: false,
          plugins: [['relay', { eagerEsModules: true }]],
          parserOpts: { plugins: ['typescript'] },
        });
        return result?.code ?? undefined;
      },
    },
  ],
  test: { ...root.test, include: ['test/clients/**/*.test.ts'], exclude: ['**/node_modules/**'] },
});
