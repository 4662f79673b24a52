import type { Gateway } from '../../sdk/gateway.ts';
import { at } from '../../sdk/query.ts';
import { UsageError } from '../support/usage-error.ts';
import { queryGateway } from './open-gateway.ts';

/** An image of a dataset that has a path. */
export interface RemoteImage {
  id: string;
  /** Of the bytes there: of ciphertext in an encrypted workspace. */
  sha256: string;
}

/** What a dataset has when an upload begins. */
export interface RemoteDataset {
  workspaceId: string;
  encrypted: boolean;
  images: Map<string, RemoteImage>;
}

const DATASET =
  'query ($uuid: UUID!) { dataset(uuid: $uuid) { status imagesCount workspace { uuid encrypted } } }';
const IMAGES =
  'query ($uuid: UUID!, $after: Cursor) { dataset(uuid: $uuid) { images(first: 100, after: $after) { nodes { uuid path sha256 } pageInfo { hasNextPage endCursor } } } }';
const IMAGE =
  'query ($uuid: UUID!, $path: String!) { dataset(uuid: $uuid) { imageByPath(path: $path) { uuid sha256 } } }';

/** Reads what a dataset has, by path. Throws UsageError if there is no such draft dataset. */
export async function readDataset(gateway: Gateway, uuid: string): Promise<RemoteDataset> {
  const found = at(await queryGateway(gateway, DATASET, { uuid }), 'dataset');
  const workspaceId = at(found, 'workspace', 'uuid');
  if (typeof workspaceId !== 'string') throw new UsageError(`${uuid}: no such dataset`);
  if (at(found, 'status') === 'PUBLISHED')
    throw new UsageError(`${uuid}: the dataset is published: its images are frozen`);
  const images = new Map<string, RemoteImage>();
  let after: unknown = null;
  while (at(found, 'imagesCount') !== 0) {
    const page = at(await queryGateway(gateway, IMAGES, { uuid, after }), 'dataset', 'images');
    const nodes = at(page, 'nodes');
    for (const node of Array.isArray(nodes) ? nodes : []) {
      const path = at(node, 'path');
      const image = imageOf(node);
      if (typeof path === 'string' && image) images.set(path, image);
    }
    if (at(page, 'pageInfo', 'hasNextPage') !== true) break;
    after = at(page, 'pageInfo', 'endCursor');
  }
  return { workspaceId, encrypted: at(found, 'workspace', 'encrypted') === true, images };
}

/** The image of a path as it is now. */
export async function readImage(
  gateway: Gateway,
  uuid: string,
  path: string,
): Promise<RemoteImage | undefined> {
  const data = await queryGateway(gateway, IMAGE, { uuid, path });
  return imageOf(at(data, 'dataset', 'imageByPath'));
}

function imageOf(node: unknown): RemoteImage | undefined {
  const [id, sha256] = [at(node, 'uuid'), at(node, 'sha256')];
  return typeof id === 'string' && typeof sha256 === 'string' ? { id, sha256 } : undefined;
}
