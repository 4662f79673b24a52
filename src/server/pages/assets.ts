import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { makeOnce } from '../../core/turns/make-once.ts';
import type { RestReply } from '../../core/rest/route.ts';

/** Scripts and styles of a page, by file name. */
type AssetTexts = Record<string, string>;

interface Asset {
  text: string;
  zipped: () => Promise<Buffer>;
}

interface LoadedAssets {
  path: string;
  files: ReadonlyMap<string, Asset>;
}

const compress = promisify(gzip);

/** For a year: the path changes with the content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** Files that the pages load from the gateway itself, below a path with a digest of what they hold. */
export class Assets {
  readonly #folder: string;
  readonly #load: () => Promise<LoadedAssets>;

  /** `read` is called on their first use. */
  constructor(name: string, read: () => Promise<AssetTexts>) {
    const folder = `/assets/${name}/`;
    this.#folder = folder;
    this.#load = makeOnce(async () => {
      const texts = await read();
      const digest = createHash('sha256');
      for (const text of Object.values(texts)) digest.update(text);
      return {
        path: `${folder}${digest.digest('hex').slice(0, 16)}/`,
        files: new Map(
          Object.entries(texts).map(([file, text]) => [
            file,
            { text, zipped: makeOnce(() => compress(text)) },
          ]),
        ),
      };
    });
  }

  /** The path that they are below. */
  async path(): Promise<string> {
    return (await this.#load()).path;
  }

  /** The file at a path, compressed where the client takes that; undefined if there is none. */
  async answer({ headers }: IncomingMessage, pathname: string): Promise<RestReply | undefined> {
    if (!pathname.startsWith(this.#folder)) return undefined;
    const { path, files } = await this.#load();
    if (!pathname.startsWith(path)) return undefined;
    const file = pathname.slice(path.length);
    const asset = files.get(file);
    if (!asset) return undefined;
    const common = {
      'content-type': `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
      'cache-control': FOREVER,
      vary: 'Accept-Encoding',
    };
    if (!takesGzip(headers['accept-encoding'])) return { headers: common, body: asset.text };
    return { headers: { ...common, 'content-encoding': 'gzip' }, body: await asset.zipped() };
  }
}

/** Does an Accept-Encoding take gzip? */
function takesGzip(accepted = ''): boolean {
  return accepted
    .split(',')
    .map((one) => one.replaceAll(/\s/g, '').toLowerCase())
    .some((one) => /^(gzip|\*)(;q=(?!0(\.0*)?$).*)?$/.test(one));
}
