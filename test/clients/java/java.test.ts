import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../start-gateway.ts';

const version = javaVersion();
if (version === undefined)
  console.log('not run: the HTTP client of Java 11 or later, which is not installed');

describe.skipIf(version === undefined)(`HttpClient of Java ${version ?? ''}`, () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('offers HTTP/2 with each request, and reads, writes and stays connected over HTTP/1.1', async () => {
    const { stdout } = await promisify(execFile)(
      'java',
      [
        join(import.meta.dirname, 'HttpClientTest.java'),
        gateway.url,
        await gateway.signedIn('ana'),
      ],
      { timeout: 200_000 },
    );
    expect(stdout.trim().split('\n')).toEqual([
      'GET 200 HTTP_1_1',
      expect.stringContaining('POST 200 {"data":{"viewer":{"login":"ana"}}'),
      'GET 200 HTTP_1_1',
      'large POST 200',
    ]);
  }, 240_000);
});

/** The installed Java, if it has the client and runs programs from their source. */
function javaVersion(): number | undefined {
  try {
    const text = execFileSync('java', ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    const found = Number(/(\d+)/.exec(text)?.[1]);
    return found >= 11 ? found : undefined;
  } catch {
    return undefined;
  }
}
