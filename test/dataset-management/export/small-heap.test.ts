import { expect, test } from 'vitest';
import { encodeGlobalId } from '../../../src/core/global-id.ts';
import { endProcesses, GENEROUS, start } from '../../support/gateway-process.ts';
import { jpeg } from '../../support/images.ts';

endProcesses();

/** COCO of one image with outlines of many short numbers, which take the most memory beside their text. */
function outlines(image: string, megabytes: number): Blob {
  const ring = Array.from({ length: 98_000 }, (_, at) => at % 7).join(',');
  const annotation = (id: number): string =>
    `{"id":${id},"image_id":1,"category_id":1,"segmentation":[[${ring}]]}`;
  const annotations = Array.from({ length: megabytes * 5 }, (_, at) => annotation(at + 1));
  const images = [{ id: 1, file_name: 'a.jpg', uuid: image }];
  return new Blob([
    `{"images":${JSON.stringify(images)},"categories":[{"id":1,"name":"a"}],"annotations":[`,
    annotations.join(','),
    ']}',
  ]);
}

test(
  'exports of an image with very many annotations leave a gateway with a small heap alive',
  async () => {
    const { url, child } = await start({ NODE_OPTIONS: '--max-old-space-size=128' });
    let token = '';
    const send = (path: string, body?: FormData | object): Promise<Response> =>
      fetch(url + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          'x-service-csrf-token-x': token,
          ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        },
        body: body instanceof FormData ? body : body && JSON.stringify(body),
      } as RequestInit);
    const answer = async (path: string, body?: FormData | object) =>
      (await (await send(path, body)).json()) as Record<string, any>;
    const form = (fields: Record<string, string | Blob>): FormData => {
      const made = new FormData();
      for (const [name, value] of Object.entries(fields)) made.set(name, value);
      return made;
    };
    const gql = async (query: string, variables: object): Promise<any> =>
      (await answer('/graphql', { query, variables }))['data'];
    token = (await answer('/session', { login: 'leader', password: 'demo' }))['token'];
    const workspaceId = (await answer('/api/Workspaces/create', { name: 'W' }))['data'];
    const DatasetId = (
      await answer('/api/Datasets/create', { workspaceId, name: 'D', description: '' })
    )['data'];
    const file = new Blob([Uint8Array.from(await jpeg(64, 64))]);
    const image = (
      await answer('/api/Images/addImage', form({ DatasetId, FileName: 'a.jpg', Image: file }))
    )['data'];
    const { workspace } = await gql('query ($w: UUID!) { workspace(uuid: $w) { id } }', {
      w: workspaceId,
    });
    const made = await gql(
      'mutation ($input: CreateProjectInput!) { createProject(input: $input) { ... on CreateProjectPayload { project { uuid } } } }',
      { input: { workspaceId: workspace.id, name: 'P', description: '' } },
    );
    const projectId = made.createProject.project.uuid;
    await answer('/api/Projects/AssignDataset', { projectId, datasetId: DatasetId });
    const { data: job } = await answer(
      '/api/Projects/importAnnotations',
      form({ projectId, FileName: 'a.json', File: outlines(image, 5) }),
    );
    await expect
      .poll(
        async () => {
          const found = await gql(
            'query ($id: ID!) { node(id: $id) { ... on AnnotationImport { state } } }',
            { id: encodeGlobalId('AnnotationImport', job) },
          );
          return found?.node.state;
        },
        { timeout: 120_000, interval: 500 },
      )
      .toBe('SUCCEEDED');
    const sizes: number[] = [];
    for (const format of ['LabelStudio', 'YoloSegment']) {
      const archive = await send(
        `/api/Projects/export?projectId=${projectId}&dataFilter=All&format=${format}`,
      );
      sizes.push((await archive.arrayBuffer()).byteLength);
    }
    expect(Math.min(...sizes)).toBeGreaterThan(2 * 5_000_000);
    expect([(await fetch(`${url}/healthz`)).status, child.exitCode]).toEqual([200, null]);
  },
  GENEROUS,
);
