import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Services } from '../../src/core/context/context.ts';

/** Stores bytes as images of a domain, in a workspace and dataset of their own, without decoding them. */
export async function storeImages(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  domain: string,
  images: Iterable<Buffer>,
): Promise<void> {
  const { id: domainId } = await db.prisma.domain.findUniqueOrThrow({ where: { name: domain } });
  const [workspaceId, datasetId, at] = [randomUUID(), randomUUID(), new Date()];
  await db.prisma.workspace.create({
    data: { id: workspaceId, domainId, name: 'w', createdAt: at },
  });
  await db.prisma.dataset.create({
    data: { id: datasetId, workspaceId, name: 'd', description: '', createdAt: at, updatedAt: at },
  });
  let count = 0;
  for (const bytes of images) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const storageKey = `${workspaceId}/${sha256.slice(0, 2)}/${sha256}-${randomBytes(6).toString('hex')}`;
    const staged = await storage.stage(
      (async function* () {
        await Promise.resolve();
        yield bytes;
      })(),
    );
    await storage.put(staged, storageKey);
    const blob = { id: randomUUID(), workspaceId, sha256, storageKey, createdAt: at };
    await db.prisma.blob.create({ data: { ...blob, crc32: staged.crc32, byteSize: bytes.length } });
    const image = { id: randomUUID(), datasetId, name: `${count++}.jpg`, width: 10, height: 10 };
    await db.prisma.image.create({
      data: { ...image, blobId: blob.id, thumbBlobId: blob.id, createdDate: at },
    });
  }
}
