import type { SignedInContext } from '../../../core/context/context.ts';
import type { StagedBlob } from '../../../core/context/storage.ts';
import { stagedFile, textFile, type ArchiveFile, type Scratch } from '../files/archive-file.ts';
import type { ZipEntry } from '../files/zip-entry.ts';
import type { ArchivePlan } from './archive-plan.ts';
import { loadSigningKey } from './load-signing-key.ts';
import { stageFileList } from './stage-file-list.ts';

/**
 * The last two files of an archive: `manifest.json`, which lists path, size and SHA-256 of every other one, and
 * `manifest.sig`, its signature. The list of the files so far has a line for each.
 */
export async function* signArchive(
  ctx: SignedInContext,
  { project, exportedAt }: ArchivePlan,
  { files, last, scratch }: { files: StagedBlob; last: ArchiveFile; scratch: Scratch },
): AsyncGenerator<ZipEntry> {
  const head = {
    format: 'trivium-archive-1',
    workspaceId: project.workspaceId,
    projectId: project.id,
    exportedAt,
  };
  const { name: path, size, sha256 } = last;
  const lastLine = `${files.size === 0 ? '' : ','}\n    ${JSON.stringify({ path, size, sha256 })}`;
  const manifest = await stageFileList(ctx.storage, head, files, lastLine);
  scratch.push(manifest);
  yield stagedFile('manifest.json', manifest);
  const key = await loadSigningKey(ctx, project.workspaceId);
  const signature = {
    format: 'trivium-signature-1',
    algorithm: 'Ed25519',
    publicKey: key.publicKey,
    signature: key.sign(`trivium manifest 1\n${manifest.sha256}\n`),
  };
  yield textFile('manifest.sig', `${JSON.stringify(signature, null, 2)}\n`);
}
