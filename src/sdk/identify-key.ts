import { WrongKeyError } from './assert-key.ts';
import { checksum, hyphenatedChecksum } from './crypto/checksum.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { GatewayError, type Gateway } from './gateway.ts';
import { at, mutate, query } from './query.ts';

const WORKSPACE =
  'query WorkspaceId($uuid: UUID!) { workspace(uuid: $uuid) { id encrypted keyNumber keyRotation { oldKeyNumber keyNumber imagesLeft deletedImagesLeft } } }';
const VERIFY =
  'mutation VerifyKey($input: VerifyWorkspaceKeyInput!) { verifyWorkspaceKey(input: $input) { __typename ... on VerifyWorkspaceKeyPayload { result keyNumber } ... on UserError { message code } } }';

/** An encrypted workspace as the gateway describes it. */
export interface WorkspaceState {
  /** Global id. */
  id: string;
  /** Number of the key under which new images are encrypted. */
  keyNumber: number;
  /** Undefined unless the workspace is being moved to another key. */
  rotation: { oldKeyNumber: number; imagesLeft: number; deletedImagesLeft: number } | undefined;
}

/** Reads the state of a workspace. Throws GatewayError if there is none, WrongKeyError if it is not encrypted. */
export async function readWorkspace(
  gateway: Gateway,
  workspaceId: string,
): Promise<WorkspaceState> {
  const found = at(await query(gateway, WORKSPACE, { uuid: workspaceId }), 'workspace');
  const id = at(found, 'id');
  if (typeof id !== 'string')
    throw new GatewayError('Workspace not found', ['WORKSPACE_NOT_FOUND']);
  if (at(found, 'encrypted') === false)
    throw new WrongKeyError('the workspace is not encrypted: no key belongs to it');
  const number = (...names: string[]): number => Number(at(found, ...names) ?? 1);
  const rotation = {
    oldKeyNumber: number('keyRotation', 'oldKeyNumber'),
    imagesLeft: number('keyRotation', 'imagesLeft'),
    deletedImagesLeft: number('keyRotation', 'deletedImagesLeft'),
  };
  const isMoving = at(found, 'keyRotation') != null;
  return { id, keyNumber: number('keyNumber'), rotation: isMoving ? rotation : undefined };
}

/**
 * The number of a key in a workspace, and the form of its checksum that the gateway stores. Throws WrongKeyError unless
 * the gateway confirms it.
 */
export async function identifyKey(
  gateway: Gateway,
  { id }: Pick<WorkspaceState, 'id'>,
  workspaceId: string,
  key: WorkspaceKey,
): Promise<{ number: number; checksum: string }> {
  for (const sum of [
    await checksum(key, workspaceId),
    await hyphenatedChecksum(key, workspaceId),
  ]) {
    const input = { workspaceId: id, checksum: sum };
    const answer = await mutate(gateway, 'verifyWorkspaceKey', VERIFY, input);
    // A gateway of before keys could change names no number.
    if (at(answer, 'result') === 'MATCH')
      return { number: Number(at(answer, 'keyNumber') ?? 1), checksum: sum };
  }
  throw new WrongKeyError();
}
