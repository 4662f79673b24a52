import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { picture } from '../../support/images.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'trivium-python-'));
const PASSWORD = 'as long as it has to be';

const missing = whatIsMissing();
if (missing !== undefined) console.log(`not run: the Python client, ${missing}`);

describe.skipIf(missing !== undefined)('the Python client', () => {
  const python = join(folder, 'venv/bin/python');
  let app: DatasetApp;
  let given: string;
  const image = join(folder, 'bolt.png');

  beforeAll(async () => {
    app = await startDatasetApp('filesystem', { now: Date.now() });
    await app.load([{ record: 'user', login: 'owner', domain: 'one', password: PASSWORD }]);
    app.tokens.owner = await app.signedIn('owner');
    const workspace = await app.workspace('Bolts');
    const dataset = await app.dataset(workspace);
    const project = await app.project(workspace, dataset);
    const { data } = await app.gql(
      'query ($uuid: UUID!) { project(uuid: $uuid) { id } }',
      { uuid: project },
      app.tokens.owner,
    );
    await app.gql(
      'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
      { input: { projectId: data.project.id, classes: [{ name: 'bolt' }] } },
      app.tokens.owner,
    );
    writeFileSync(image, await picture(640, 480).png().toBuffer());
    given = `workspace = "${workspace}"\ndataset = "${dataset}"\nproject = "${project}"\n`;
    await run('node', ['scripts/pack-python.mjs', folder], { cwd: root });
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    const wheel = `trivium_client-${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}-py3-none-any.whl`;
    await run(python, ['-m', 'pip', 'install', '--quiet', join(folder, wheel)]);
  }, 600_000);
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program; returns the JSON that it prints. */
  const answerOf = async (program: string): Promise<any> => {
    const here = program
      .replace('http://127.0.0.1:4000', app.url)
      .replace('"leader", "demo"', `"owner", "${PASSWORD}"`);
    const { stdout } = await run(python, ['-c', given + here], { cwd: folder });
    return JSON.parse(stdout);
  };
  const [first = '', second = ''] = [
    ...readFileSync(join(root, 'clients/python/README.md'), 'utf8').matchAll(
      /```python\n(.*?)```/gs,
    ),
  ].map(([, code = '']) => code);

  it('uploads, annotates, exports and loads, as its README says', async () => {
    const found = await answerOf(
      `${first}${second}        import hashlib; print(json.dumps([coco["annotations"], coco["categories"], hashlib.sha256(pixels).hexdigest()]))`,
    );
    expect(found).toEqual([
      [expect.objectContaining({ category_id: 1, bbox: [100, 80, 200, 150] })],
      [expect.objectContaining({ id: 1, name: 'bolt' })],
      createHash('sha256').update(readFileSync(image)).digest('hex'),
    ]);
  }, 60_000);

  it('calls any path of REST by its operationId', async () => {
    const found = await answerOf(`
import json
from trivium import Gateway
from trivium.rest.api.dataset_management import list_datasets
gateway = Gateway.sign_in("http://127.0.0.1:4000", "leader", "demo")
sets = list_datasets.sync(client=gateway.rest, workspace_id=workspace).data
me = gateway.graphql("{ viewer { login } }")["viewer"]["login"]
print(json.dumps([[one.name for one in sets], me]))`);
    expect(found).toEqual([['Dataset'], 'owner']);
  }, 60_000);

  it('raises what the gateway refuses, with its codes, and leaves no half of an archive', async () => {
    const found = await answerOf(
      `
import json, os
from trivium import Gateway, GatewayError
def refusal_of(work):
    try:
        work()
    except GatewayError as error:
        return [str(error), *error.codes]
def code_of(work):
    refusal = refusal_of(work)
    return refusal and refusal[1:]
gateway = Gateway.sign_in("http://127.0.0.1:4000", "leader", "demo")
image = gateway.upload(dataset, "bolt.png")
box = [{"className": "bolt", "shape": "BBOX", "geometry": [1, 2, 3, 4]}]
open("text.png", "w").write("no image")
print(json.dumps([
    refusal_of(lambda: Gateway.sign_in("http://127.0.0.1:4000", "owner", "wrong")),
    refusal_of(lambda: Gateway.sign_in("http://127.0.0.1:4000/nowhere", "owner", "wrong")),
    code_of(lambda: gateway.upload(dataset, "text.png")),
    code_of(lambda: gateway.annotate(project, image, [{**box[0], "className": "nut"}])),
    code_of(lambda: gateway.annotate(workspace, image, box)),
    code_of(lambda: gateway.annotate(project, image, box, expected_version=0)),
    code_of(lambda: gateway.annotate(project, image, box, expected_version=0)),
    code_of(lambda: gateway.export(workspace, "none.zip")),
    code_of(lambda: Gateway("http://127.0.0.1:4000", "wrong").graphql("{ viewer { login } }")),
    [name for name in os.listdir(".") if name.startswith("none")],
]))`.replaceAll('http://127.0.0.1:4000', app.url),
    );
    expect(found).toEqual([
      ['Login or password is wrong', 'E202'],
      ['Unknown path', 'E404'],
      ['UNSUPPORTED_IMAGE_TYPE'],
      ['VALIDATION_ERROR'],
      ['NOT_FOUND'],
      null,
      ['CONFLICT'],
      ['PROJECT_NOT_FOUND'],
      ['UNAUTHENTICATED'],
      [],
    ]);
  }, 60_000);
});

/** Why the client can't be made here; undefined if it can. */
function whatIsMissing(): string | undefined {
  const quiet = { stdio: 'pipe', timeout: 120_000 } as const;
  try {
    execFileSync(
      'python3',
      ['-c', 'import sys, ensurepip, venv; assert sys.version_info >= (3, 11)'],
      quiet,
    );
  } catch {
    return 'for which Python 3.11 or later with venv (python3-venv) is needed';
  }
  try {
    const once = ['--retries', '1', '--timeout', '20', '--quiet'];
    const list = join(root, 'clients/python/generator.txt');
    execFileSync('python3', ['-m', 'venv', join(folder, 'probe')], quiet);
    const pip = ['-m', 'pip', 'download', ...once, '--dest', join(folder, 'probe'), '-r', list];
    execFileSync(join(folder, 'probe/bin/python'), pip, quiet);
  } catch {
    return 'because its generator can not be downloaded from the package index';
  }
  return undefined;
}
