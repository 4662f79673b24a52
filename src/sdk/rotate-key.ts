import { WrongKeyError } from './assert-key.ts';
import { checksum } from './crypto/checksum.ts';
import type { WorkspaceKey } from './crypto/key.ts';
import { GatewayError, type Gateway } from './gateway.ts';
import { identifyKey, readWorkspace, type WorkspaceState } from './identify-key.ts';
import { listImages } from './list-images.ts';
import { moveImage, type Move, type NumberedKey } from './move-image.ts';
import { mutate } from './query.ts';

const begin =
  'mutation BeginKeyRotation($input: BeginKeyRotationInput!) { beginKeyRotation(input: $input) { __typename ... on UserError { message code } } }';
const finish =
  'mutation FinishKeyRotation($input: FinishKeyRotationInput!) { finishKeyRotation(input: $input) { __typename ... on UserError { message code } } }';
const cancel =
  'mutation CancelKeyRotation($input: CancelKeyRotationInput!) { cancelKeyRotation(input: $input) { __typename ... on UserError { message code } } }';

/** Images that are on their way at once. */
const AT_ONCE = 4;
/** How often the images are gone through: some may come back from deletion meanwhile. */
const ROUNDS = 3;

/** The two keys of a move. */
export interface KeyPair {
  oldKey: WorkspaceKey;
  newKey: WorkspaceKey;
  /** Called after each image. */
  onProgress?: (done: number, all: number) => void;
  /** Stops after the images that are on their way; call again to go on. */
  signal?: AbortSignal;
}

/** What a move did. */
export interface KeyMove {
  /** Images that were encrypted anew. */
  moved: number;
  /** Images that are still under the key that is left, and why. */
  failed: { imageId: string; name: string; message: string }[];
}

/**
 * Moves an encrypted workspace to a new key: begins, encrypts every image anew, and ends with the old key not being valid
 * any more. What was interrupted goes on when it is called again, by anybody with both keys; images can be read and
 * uploaded meanwhile. Ends without the last step when images failed. Begin and end are for owners: others use
 * `resumeKeyRotation`. Throws WrongKeyError, and GatewayError with the code KEY_STILL_USED for deleted images under the
 * old key, unless `forgetDeleted`.
 */
export async function rotateWorkspaceKey(
  gateway: Gateway,
  workspaceId: string,
  options: KeyPair & { forgetDeleted?: boolean },
): Promise<KeyMove> {
  const { oldKey, newKey, forgetDeleted = false } = options;
  if (await isMoved(gateway, workspaceId, newKey)) return { moved: 0, failed: [] };
  return unlessMoved(gateway, workspaceId, newKey, async () => {
    const state = await readWorkspace(gateway, workspaceId);
    if (!state.rotation) {
      const { checksum: sum } = await identifyKey(gateway, state, workspaceId, oldKey);
      const newChecksum = await checksum(newKey, workspaceId);
      const input = { workspaceId: state.id, checksum: sum, newChecksum };
      await mutate(gateway, 'beginKeyRotation', begin, input);
    }
    return moveAndFinish(gateway, workspaceId, options, forgetDeleted);
  });
}

/** Goes back to the old key: images that are under the new one by now are encrypted anew under the old one. Owners only. */
export async function cancelKeyRotation(
  gateway: Gateway,
  workspaceId: string,
  { oldKey, newKey, ...options }: KeyPair & { forgetDeleted?: boolean },
): Promise<KeyMove> {
  const { id } = await readWorkspace(gateway, workspaceId);
  await mutate(gateway, 'cancelKeyRotation', cancel, { workspaceId: id });
  if (!(await readWorkspace(gateway, workspaceId)).rotation) return { moved: 0, failed: [] };
  const back = { ...options, oldKey: newKey, newKey: oldKey };
  return unlessMoved(gateway, workspaceId, oldKey, () =>
    moveAndFinish(gateway, workspaceId, back, options.forgetDeleted ?? false),
  );
}

/** Encrypts anew what is left of a move that somebody else has begun; leaves its end to an owner. */
export async function resumeKeyRotation(
  gateway: Gateway,
  workspaceId: string,
  { oldKey, newKey, onProgress, signal }: KeyPair,
): Promise<KeyMove> {
  const state = await readWorkspace(gateway, workspaceId);
  const { from, to } = await numberKeys(gateway, workspaceId, state, { oldKey, newKey });
  const all = state.rotation?.imagesLeft ?? 0;
  const result: KeyMove = { moved: 0, failed: [] };
  const images = listImages(gateway, state.id, from.number);
  const faults: unknown[] = [];
  const work = async (): Promise<void> => {
    while (signal?.aborted !== true && faults.length === 0) {
      const next = await images.next();
      if (next.done === true) return;
      const move: Move = { workspaceId, image: next.value, from, to };
      const failure = await moveImage(gateway, move);
      if (failure === undefined) result.moved++;
      else if (failure !== null)
        result.failed.push({ imageId: move.image.id, name: move.image.name, message: failure });
      onProgress?.(result.moved, Math.max(all, result.moved));
    }
  };
  const begun = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => faults.push(error)),
  );
  // All that are on their way: nothing is sent any more when this ends.
  await Promise.all(begun);
  if (faults.length > 0) throw faults[0];
  signal?.throwIfAborted();
  return result;
}

async function moveAndFinish(
  gateway: Gateway,
  workspaceId: string,
  options: KeyPair,
  forgetDeleted: boolean,
): Promise<KeyMove> {
  let moved = 0;
  for (let round = 1; ; round++) {
    const result = await resumeKeyRotation(gateway, workspaceId, options);
    moved += result.moved;
    if (result.failed.length > 0) return { ...result, moved };
    try {
      const { id } = await readWorkspace(gateway, workspaceId);
      await mutate(gateway, 'finishKeyRotation', finish, { workspaceId: id, forgetDeleted });
      // Another client may have turned the move round and ended it.
      await identifyKey(gateway, { id }, workspaceId, options.newKey);
      return { moved, failed: [] };
    } catch (error) {
      const isLeft = error instanceof GatewayError && error.codes.includes('KEY_STILL_USED');
      const { rotation } = await readWorkspace(gateway, workspaceId);
      if (!isLeft || round === ROUNDS || rotation?.imagesLeft === 0) throw error;
    }
  }
}

/** Which number each key has. Throws WrongKeyError if one is no key of the workspace, or the move goes the other way. */
async function numberKeys(
  gateway: Gateway,
  workspaceId: string,
  state: WorkspaceState,
  { oldKey, newKey }: Pick<KeyPair, 'oldKey' | 'newKey'>,
): Promise<{ from: NumberedKey; to: NumberedKey }> {
  const { rotation, keyNumber } = state;
  if (!rotation)
    throw new GatewayError('The workspace is not being moved to another key.', ['NO_ROTATION']);
  const from = { key: oldKey, ...(await identifyKey(gateway, state, workspaceId, oldKey)) };
  const to = { key: newKey, ...(await identifyKey(gateway, state, workspaceId, newKey)) };
  if (to.number !== keyNumber || from.number !== rotation.oldKeyNumber)
    throw new WrongKeyError('the workspace is being moved the other way, or between other keys');
  return { from, to };
}

/** Runs `work`; where it is refused because another client has ended the same move meanwhile, there was nothing left to do. */
async function unlessMoved(
  gateway: Gateway,
  workspaceId: string,
  newKey: WorkspaceKey,
  work: () => Promise<KeyMove>,
): Promise<KeyMove> {
  try {
    return await work();
  } catch (error) {
    const isRefused = error instanceof GatewayError || error instanceof WrongKeyError;
    if (isRefused && (await isMoved(gateway, workspaceId, newKey))) return { moved: 0, failed: [] };
    throw error;
  }
}

/** Whether a workspace has this key alone. */
async function isMoved(
  gateway: Gateway,
  workspaceId: string,
  newKey: WorkspaceKey,
): Promise<boolean> {
  const state = await readWorkspace(gateway, workspaceId);
  if (state.rotation) return false;
  return (await identifyKey(gateway, state, workspaceId, newKey).catch(wrongKey)) !== undefined;
}

function wrongKey(error: unknown): undefined {
  if (!(error instanceof WrongKeyError)) throw error;
}
