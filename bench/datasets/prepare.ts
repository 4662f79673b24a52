import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { createSession } from '../../src/accounts/sessions/create-session.ts';
import { readConfig } from '../../src/core/context/config.ts';
import { loadDemo } from '../../src/import/load-demo.ts';
import { createServices } from '../../src/server/services.ts';

/** Photos that are uploaded, and images that are exported. */
const PHOTOS = 24;
const IMAGES = 10_000;
const IMAGE_BYTES = 60_000;

export interface Prepared {
  token: string;
  dataset: string;
  project: string;
  images: number;
  imageBytes: number;
  /** Images that the gateway decodes at once. */
  jobs: number;
}

/** Fills a database and a storage in `folder`: demo feeds, an empty dataset, a project of 10,000 images; photos under `photos`, and the paths of the images in the file `list`. */
export async function prepare(folder: string, env: Record<string, string>): Promise<Prepared> {
  mkdirSync(join(folder, 'photos'), { recursive: true });
  for (let n = 0; n < PHOTOS; n++) {
    const noise = { type: 'gaussian', mean: 100 + n, sigma: 20 } as const;
    writeFileSync(
      join(folder, 'photos', `${n}.jpg`),
      await sharp({ create: { width: 2400, height: 1800, channels: 3, background: 'gray', noise } })
        .blur(1)
        .jpeg({ quality: 85 })
        .toBuffer(),
    );
  }
  const services = await createServices(readConfig(env));
  const { db, storage } = services;
  await loadDemo(services);
  const { token } = await createSession(services, 'leader');
  const [workspace, dataset, large, project] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  await db.rows(
    `WITH u AS (SELECT id, domain_id FROM "user" WHERE login = 'leader'), w AS (INSERT INTO workspace (id, domain_id, name, created_at) SELECT $1, domain_id, 'Bench', now() FROM u)
    INSERT INTO workspace_member (workspace_id, user_id, role) SELECT $1, id, 'OWNER' FROM u`,
    [workspace],
  );
  await db.rows(
    `INSERT INTO dataset (id, workspace_id, name, description, created_at, updated_at) SELECT i, $2, 'Bench', '', now(), now() FROM unnest($1::uuid[]) i`,
    [[dataset, large], workspace],
  );
  await db.rows(
    `INSERT INTO project (id, workspace_id, name, description, created_at) VALUES ($1, $2, 'Bench', '', now())`,
    [project, workspace],
  );
  await db.rows(
    'INSERT INTO project_dataset (project_id, dataset_id, assigned_at) VALUES ($1, $2, now())',
    [project, large],
  );
  const rows: object[] = [];
  for (let n = 0; n < IMAGES; n++) {
    const bytes = Buffer.alloc(IMAGE_BYTES, n);
    bytes.writeUInt32BE(n);
    const staged = await storage.stage(once(bytes));
    const key = `${workspace}/${(n % 256).toString(16).padStart(2, '0')}/${n}`;
    await storage.put(staged, key);
    rows.push({
      id: randomUUID(),
      image: randomUUID(),
      sha256: staged.sha256,
      crc32: staged.crc32,
      key,
      n,
    });
  }
  const json = JSON.stringify(rows);
  await db.rows(
    `INSERT INTO blob (id, workspace_id, sha256, crc32, byte_size, storage_key, created_at) SELECT r.id, $2, r.sha256, r.crc32, $3::int, r.key, now() FROM jsonb_to_recordset($1::jsonb) r (id uuid, sha256 text, crc32 bigint, key text)`,
    [json, workspace, IMAGE_BYTES],
  );
  await db.rows(
    `INSERT INTO image (id, dataset_id, name, width, height, mime_type, blob_id, thumb_blob_id, created_date) SELECT r.image, $2, r.n || '.jpg', 10, 10, 'image/jpeg', r.id, r.id, now() FROM jsonb_to_recordset($1::jsonb) r (id uuid, image uuid, n int)`,
    [json, large],
  );
  writeFileSync(
    join(folder, 'list'),
    rows
      .map((row) => join(folder, 'blobs', 'objects', String((row as { key: string }).key)))
      .join('\n'),
  );
  await storage.close();
  await db.close();
  return {
    token,
    dataset,
    project,
    images: IMAGES,
    imageBytes: IMAGE_BYTES,
    jobs: Math.max(1, Math.min(4, availableParallelism() - 1)),
  };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
