import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import ts from 'typescript';

/** Chromium where it usually is, or the file that CHROMIUM names; undefined when there is none. */
export function findBrowser(): string | undefined {
  return [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path !== undefined && existsSync(path));
}

/** A module of src/sdk as a browser takes it. */
export function sdkModule(name: string): string {
  const source = readFileSync(new URL(`../../src/sdk/${name}.ts`, import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ES2022,
      verbatimModuleSyntax: true,
    },
  });
  return outputText.replaceAll(/(from '\.\.?\/[a-z0-9/-]+)\.ts'/g, "$1.js'");
}

/** Runs a module script in headless Chromium on a page beside the SDK (`/sdk/e2ee.js`) and the given files; what the script passes to `report` comes back. Paths under /gateway go to the given gateway. */
export async function runInBrowser(
  browser: string,
  script: string,
  files: Record<string, Buffer>,
  gateway?: string,
): Promise<unknown> {
  const profile = await mkdtemp(join(tmpdir(), 'trivium-browser-'));
  const page = `<!doctype html><meta charset="utf-8"><script type="module">
    const report = (value) => fetch('/report', { method: 'POST', body: JSON.stringify(value) });
    try { ${script} } catch (error) { await report({ error: String(error) }); }
  </script>`;
  let done: (value: unknown) => void;
  const reported = new Promise<unknown>((resolve) => (done = resolve));
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const module = /^\/sdk\/([a-z0-9/-]+)\.js$/.exec(path)?.[1];
    if (gateway !== undefined && path.startsWith('/gateway/')) {
      const headers = { ...request.headers, host: new URL(gateway).host };
      const forwarded = forward(
        gateway + path.slice('/gateway'.length),
        { method: request.method, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        },
      );
      request.pipe(forwarded);
    } else if (path === '/report') {
      void buffer(request).then((body) => done(JSON.parse(body.toString())));
      response.end();
    } else if (module) response.setHeader('content-type', 'text/javascript').end(sdkModule(module));
    else if (path === '/') response.setHeader('content-type', 'text/html').end(page);
    else {
      if (path.endsWith('.js')) response.setHeader('content-type', 'text/javascript');
      response.end(files[path.slice(1)]);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const child = spawn(
    browser,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${port}/`,
    ],
    { stdio: 'ignore' },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    return await Promise.race([
      reported,
      exited.then(() => Promise.reject(new Error('the browser ended without a report'))),
    ]);
  } finally {
    child.kill();
    await exited;
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
