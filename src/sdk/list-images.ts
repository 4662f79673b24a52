import type { Gateway } from './gateway.ts';
import { at, query } from './query.ts';

const DATASETS =
  'query DatasetsOfWorkspace($id: ID!, $after: Cursor) { node(id: $id) { ... on Workspace { datasets(first: 50, after: $after) { nodes { id uuid } pageInfo { hasNextPage endCursor } } } } }';
const IMAGES =
  'query ImagesOfDataset($id: ID!, $after: Cursor) { node(id: $id) { ... on Dataset { images(first: 100, after: $after) { nodes { uuid name width height sha256 keyNumber proof } pageInfo { hasNextPage endCursor } } } } }';

/** An encrypted image as the gateway lists it. */
export interface ListedImage {
  id: string;
  datasetId: string;
  name: string;
  width: number;
  height: number;
  sha256: string;
  proof: string | undefined;
}

/** The images of a workspace under one of its keys, dataset by dataset. */
export async function* listImages(
  gateway: Gateway,
  workspace: string,
  keyNumber: number,
): AsyncGenerator<ListedImage, undefined> {
  for await (const dataset of nodes(gateway, DATASETS, workspace, 'datasets')) {
    const datasetId = String(at(dataset, 'uuid'));
    for await (const image of nodes(gateway, IMAGES, String(at(dataset, 'id')), 'images')) {
      if (at(image, 'keyNumber') !== keyNumber) continue;
      const proof = at(image, 'proof');
      yield {
        id: String(at(image, 'uuid')),
        datasetId,
        name: String(at(image, 'name')),
        width: Number(at(image, 'width')),
        height: Number(at(image, 'height')),
        sha256: String(at(image, 'sha256')),
        proof: typeof proof === 'string' ? proof : undefined,
      };
    }
  }
  return undefined;
}

async function* nodes(
  gateway: Gateway,
  text: string,
  id: string,
  field: string,
): AsyncGenerator<unknown> {
  for (let after: unknown = null; ;) {
    const page = at(await query(gateway, text, { id, after }), 'node', field);
    const found = at(page, 'nodes');
    if (Array.isArray(found)) yield* found;
    if (at(page, 'pageInfo', 'hasNextPage') !== true) return;
    after = at(page, 'pageInfo', 'endCursor');
  }
}
