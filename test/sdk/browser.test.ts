import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as e2ee from '../../src/sdk/e2ee.ts';
import { makeSigner, signFiles } from '../support/archives.ts';
import { findBrowser, runInBrowser } from '../support/browser.ts';
import { picture } from '../support/images.ts';
import { makeZip } from '../support/zip.ts';

const browser = findBrowser();
const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const reply = z.object({
  checksum: z.string(),
  encrypted: z.string(),
  decrypted: z.string(),
  thumbnail: z.string(),
  width: z.number(),
  height: z.number(),
});

/** Set REQUIRE_BROWSER where the test must not be left out, as in CI. */
describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  'trivium/e2ee in Chromium',
  () => {
    test('makes the same checksum, opens what Node encrypts and the reverse, and makes an upright 270 × 200 thumbnail', async () => {
      const key = await e2ee.importKey(KEY);
      const photo = await picture(400, 300)
        .rotate(270)
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer();
      const script = `
      const e2ee = await import('/sdk/e2ee.js');
      const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      const key = await e2ee.importKey('${KEY}');
      const fromNode = await (await fetch('/from-node')).blob();
      const photo = await (await fetch('/photo')).blob();
      const { thumbnail, width, height } = await e2ee.makeThumbnail(photo);
      await report({
        checksum: await e2ee.checksum(key, '3f2504e0-4f89-41d3-9a0c-0305e82c3301'),
        encrypted: base64(await e2ee.encrypt(key, new TextEncoder().encode('from the browser'))),
        decrypted: new TextDecoder().decode(await e2ee.decrypt(key, fromNode)),
        thumbnail: base64(thumbnail), width, height,
      });`;
      const files = {
        'from-node': Buffer.from(await e2ee.encrypt(key, Buffer.from('from Node'))),
        photo,
      };
      const found = reply.parse(await runInBrowser(browser ?? 'chromium', script, files));
      expect(found.checksum).toBe('zGt6+Kn+qwZt83zFkcdBf/k8w74GG7EZWNtZDJ/3mYE=');
      expect(found.decrypted).toBe('from Node');
      expect(
        Buffer.from(await e2ee.decrypt(key, Buffer.from(found.encrypted, 'base64'))).toString(),
      ).toBe('from the browser');
      expect([found.width, found.height]).toEqual([400, 300]);
      const thumbnail = Buffer.from(found.thumbnail, 'base64');
      expect(await sharp(thumbnail).metadata()).toMatchObject({
        format: 'jpeg',
        width: 270,
        height: 200,
      });
      const [red = 0, green = 255] = [
        ...(await sharp(thumbnail)
          .extract({ left: 40, top: 40, width: 1, height: 1 })
          .raw()
          .toBuffer()),
      ];
      expect([red > 230, green < 40]).toEqual([true, true]);
    }, 60_000);

    test('opens an encrypted archive piece by piece, and says which file is not right', async () => {
      const key = await e2ee.importKey(KEY);
      const workspaceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
      const sha256 = (bytes: Uint8Array): string =>
        createHash('sha256').update(bytes).digest('hex');
      const bytes = await e2ee.encrypt(key, Buffer.alloc(700_000, 'image'));
      const place = { workspaceId, imageId: 'one', thumbnailSha256: sha256(bytes) };
      const proof = await e2ee.proveImage(key, { ...place, sha256: sha256(bytes) });
      const signer = makeSigner();
      const encrypted = { image: 'one', key: 1, thumbnail: place.thumbnailSha256, proof };
      const files = signFiles(
        [
          { name: 'images/a.jpg.enc', bytes, encrypted },
          { name: 'b.txt', bytes: Buffer.from('b'), deflate: true },
        ],
        signer,
      );
      const altered = files.map((file) =>
        file.name === 'b.txt' ? { ...file, bytes: Buffer.from('c') } : file,
      );
      const script = `
      const e2ee = await import('/sdk/e2ee.js');
      const options = { publicKey: '${signer.publicKey}', keys: [await e2ee.importKey('${KEY}')] };
      const archive = await e2ee.openArchive(await (await fetch('/right')).blob(), options);
      const pieces = [];
      for await (const piece of archive.files[0].read()) pieces.push(piece);
      const wrong = await e2ee.openArchive(await (await fetch('/wrong')).blob(), options);
      await report({
        paths: archive.files.map(({ plainPath }) => plainPath),
        text: (await new Blob(pieces).text()).slice(-10), count: pieces.length,
        right: await archive.verify(), wrong: (await wrong.verify()).faults,
      });`;
      expect(
        await runInBrowser(browser ?? 'chromium', script, {
          right: makeZip(files),
          wrong: makeZip(altered),
        }),
      ).toEqual({
        paths: ['images/a.jpg', 'b.txt'],
        text: 'imageimage',
        count: 3,
        right: { files: 2, bytes: 700_001, faults: [], unproven: 0 },
        wrong: [
          {
            kind: 'ALTERED',
            path: 'b.txt',
            message: 'its bytes are not those that were exported',
          },
        ],
      });
    }, 60_000);
  },
);
