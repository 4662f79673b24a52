import { expect, test } from 'vitest';
import { endProcesses, GENEROUS, start } from '../support/gateway-process.ts';
import { jpeg } from '../support/images.ts';

endProcesses();

test(
  'many large answers at once, which nobody takes, leave a gateway with a small heap alive',
  async () => {
    const { url, exited } = await start({ NODE_OPTIONS: '--max-old-space-size=256' });
    let ended = false;
    void exited.then(() => (ended = true));
    let token = '';
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'x-service-csrf-token-x': token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const answer = async (path: string, body: unknown) =>
      (await (await post(path, body)).json()) as Record<string, any>;
    const gql = async (query: string, variables: object = {}): Promise<any> =>
      (await answer('/graphql', { query, variables }))['data'];
    token = (await answer('/session', { login: 'leader', password: 'demo' }))['token'];
    const workspaceId = (await answer('/api/Workspaces/create', { name: 'W' }))['data'];
    const datasetId = (
      await answer('/api/Datasets/create', { workspaceId, name: 'D', description: '' })
    )['data'];
    const form = new FormData();
    form.set('DatasetId', datasetId);
    form.set('FileName', 'a.jpg');
    form.set('Image', new Blob([Uint8Array.from(await jpeg())]));
    const upload = await fetch(`${url}/api/Images/addImage`, {
      method: 'POST',
      headers: { 'x-service-csrf-token-x': token },
      body: form,
    });
    const { data: uuid } = (await upload.json()) as { data: string };
    const found = await gql(
      'query ($w: UUID!, $i: UUID!) { workspace(uuid: $w) { id } image(uuid: $i) { id } }',
      { w: workspaceId, i: uuid },
    );
    const made = await gql(
      'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { id uuid } } } }',
      { input: { workspaceId: found.workspace.id, name: 'P', description: '' } },
    );
    const { id: projectId, uuid: project } = made.createProject.project;
    await answer('/api/Projects/AssignDataset', { projectId: project, datasetId });
    await gql(
      'mutation ($input: AddAnnotationClassesInput!) { addAnnotationClasses(input: $input) { __typename } }',
      { input: { projectId, classes: [{ name: 'a' }] } },
    );
    const text = 'x'.repeat(1_000);
    const attributes = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}`, text]));
    const one = { className: 'a', shape: 'CLASSIFICATION', attributes };
    for (let n = 0; n < 10; n++)
      await gql(
        'mutation ($input: ChangeAnnotationsInput!) { changeAnnotations(input: $input) { __typename } }',
        { input: { projectId, imageId: found.image.id, add: Array(10).fill(one) } },
      );
    const fields = Array.from({ length: 8 }, (_, n) => `a${n}: attributes`).join(' ');
    const query = `query ($i: UUID!) { image(uuid: $i) { annotations(first: 100) { nodes { ${fields} } } } }`;
    const untaken = await Promise.all(
      Array.from({ length: 30 }, () => post('/graphql', { query, variables: { i: uuid } })),
    );
    const refused = untaken.filter(({ status }) => status === 503);
    expect(untaken.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect([(await fetch(`${url}/healthz`)).status, ended]).toEqual([200, false]);
    for (const { body } of untaken) await body?.cancel();
  },
  GENEROUS,
);

test(
  'the same of whole lists of REST; they are answered again when their clients have gone',
  async () => {
    const { url, exited } = await start({ NODE_OPTIONS: '--max-old-space-size=256' });
    let ended = false;
    void exited.then(() => (ended = true));
    const post = async (path: string, body: unknown, token = ''): Promise<any> => {
      const headers = { 'x-service-csrf-token-x': token, 'content-type': 'application/json' };
      return (
        await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      ).json();
    };
    const { token } = await post('/session', { login: 'leader', password: 'demo' });
    const { data: workspaceId } = await post('/api/Workspaces/create', { name: 'W' }, token);
    const dataset = { workspaceId, name: 'D', description: '\u20ac'.repeat(10_000) };
    await Promise.all(
      Array.from({ length: 300 }, () => post('/api/Datasets/create', dataset, token)),
    );
    const list = (): Promise<Response> =>
      fetch(`${url}/api/Datasets?workspaceId=${workspaceId}`, {
        headers: { 'x-service-csrf-token-x': token },
      });
    const untaken: Response[] = [];
    for (let n = 0; n < 30; n++) untaken.push(await list());
    const refused = untaken.filter(({ status }) => status === 503);
    expect(untaken.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect(await refused[0]?.json()).toMatchObject({ isSuccess: false, data: null });
    expect([(await fetch(`${url}/healthz`)).status, ended]).toEqual([200, false]);
    for (const { body } of untaken.filter((one) => !one.bodyUsed)) await body?.cancel();
    await expect.poll(async () => (await (await list()).json())['data']?.length).toBe(300);
  },
  GENEROUS,
);
