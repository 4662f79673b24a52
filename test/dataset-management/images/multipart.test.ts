import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { MalformedFormError } from '../../../src/dataset-management/images/upload/form-parser.ts';
import { type Form, readForm } from '../../../src/dataset-management/images/upload/multipart.ts';
import { heapInUse } from '../../support/memory.ts';

const received: string[] = [];
const dropped: string[] = [];
beforeEach(() => {
  received.length = dropped.length = 0;
});
const read = (contentType: string, body: AsyncIterable<Uint8Array>): Promise<Form<string>> =>
  readForm(contentType, body, {
    files: ['image', 'thumbnail'],
    async receive(stream) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      if (text.startsWith('refuse')) throw new Error('refused');
      received.push(text);
      return text;
    },
    drop(file) {
      dropped.push(file);
      return Promise.resolve();
    },
  });

/** A body as an HTTP client sends it, in pieces of a size. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}
const encode = async (form: FormData): Promise<{ contentType: string; body: Buffer }> => {
  const response = new Response(form);
  return {
    contentType: response.headers.get('content-type') ?? '',
    body: Buffer.from(await response.arrayBuffer()),
  };
};
const form = (parts: Record<string, string | Blob>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) data.append(name, value);
  return data;
};

describe('F213 multipart reading', () => {
  test.each([1, 7, 64, 100_000])(
    'reads fields and files in pieces of %i bytes, names in any case',
    async (size) => {
      const { contentType, body } = await encode(
        form({
          DatasetId: 'd',
          IMAGE: new Blob(['image bytes']),
          fileName: 'שלום.jpg',
          Thumbnail: new Blob(['small']),
        }),
      );
      const found = await read(contentType, pieces(body, size));
      expect(Object.fromEntries(found.fields)).toEqual({ datasetid: 'd', filename: 'שלום.jpg' });
      expect(Object.fromEntries(found.files)).toEqual({ image: 'image bytes', thumbnail: 'small' });
    },
  );

  test('takes a file part without a file name, and a text part with one as a field', async () => {
    const body = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="Image"\r\n\r\nbytes\r\n--b\r\nContent-Disposition: form-data; name="FileName"\r\n\r\na.png\r\n--b--\r\n',
    );
    const found = await read('multipart/form-data; boundary=b', pieces(body, 10));
    expect(found.files.get('image')).toBe('bytes');
    expect(found.fields).toEqual([['filename', 'a.png']]);
  });

  test('drops the files of a form that breaks off', async () => {
    const { contentType, body } = await encode(
      form({ Image: new Blob(['first']), Thumbnail: new Blob(['x'.repeat(10_000)]) }),
    );
    await expect(
      read(contentType, pieces(body.subarray(0, body.length - 3000), 500)),
    ).rejects.toThrow(MalformedFormError);
    expect(dropped).toEqual(received);
  });

  test('drops the files when the connection breaks', async () => {
    const { contentType, body } = await encode(
      form({ Image: new Blob(['first']), Thumbnail: new Blob(['x'.repeat(10_000)]) }),
    );
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces(body.subarray(0, 5000), 500);
      throw new Error('connection lost');
    };
    await expect(read(contentType, broken())).rejects.toThrow('connection lost');
    expect(dropped).toEqual(received);
  });

  test('passes on what the receiver throws, and drops the rest', async () => {
    const { contentType, body } = await encode(
      form({ Image: new Blob(['first']), Thumbnail: new Blob(['refuse']) }),
    );
    await expect(read(contentType, pieces(body, 500))).rejects.toThrow('refused');
    expect(dropped).toEqual(received);
  });

  test('refuses two files with one name, in any case, and drops the first', async () => {
    const data = form({ Image: new Blob(['first']) });
    data.append('image', new Blob(['second']));
    const { contentType, body } = await encode(data);
    await expect(read(contentType, pieces(body, 500))).rejects.toThrow('there are two parts image');
    expect(dropped).toEqual(received);
  });

  describe('memory', () => {
    const head = Buffer.from('--b\r\nContent-Disposition: form-data; name="Image"\r\n\r\n');
    const tail = Buffer.from('\r\n--b--\r\n');
    const readAndForget = (body: AsyncIterable<Uint8Array>): Promise<Form<number>> =>
      readForm('multipart/form-data; boundary=b', body, {
        files: ['image'],
        async receive(stream) {
          let size = 0;
          for await (const chunk of stream) size += chunk.length;
          return size;
        },
        drop: () => Promise.resolve(),
      });

    test('holds the last pieces of a body, not all of them', async () => {
      const seen: WeakRef<Uint8Array>[] = [];
      let held = 0;
      const body = async function* (): AsyncGenerator<Uint8Array> {
        yield head;
        for (let n = 0; n < 200; n++) {
          const piece = Buffer.alloc(65_536, 120);
          seen.push(new WeakRef(piece));
          yield piece;
        }
        await turn();
        heapInUse();
        held = seen.filter((piece) => piece.deref() !== undefined).length;
        yield tail;
      };
      expect((await readAndForget(body())).files.get('image')).toBe(200 * 65_536);
      expect(held).toBeLessThan(20);
    });

    test('holds nothing for each piece: a body may come byte by byte', async () => {
      const piece = Buffer.from('x');
      let grown = Infinity;
      const body = async function* (): AsyncGenerator<Uint8Array> {
        yield head;
        let before = 0;
        for (let n = 0; n < 30_000; n++) {
          if (n === 10_000) before = heapInUse();
          if (n % 100 === 0) await turn();
          yield piece;
        }
        grown = heapInUse() - before;
        yield tail;
      };
      expect((await readAndForget(body())).files.get('image')).toBe(30_000);
      expect(grown / 20_000).toBeLessThan(100);
    });
  });

  test.each([
    ['application/json', '{}'],
    ['multipart/form-data', ''],
    ['multipart/form-data; boundary=b', 'nonsense'],
    ['multipart/form-data; boundary=b', ''],
    ['multipart/mixed; boundary=b', '--b--'],
  ])('refuses %s with %j', async (contentType, body) => {
    await expect(read(contentType, pieces(Buffer.from(body), 10))).rejects.toThrow(
      MalformedFormError,
    );
  });

  test('refuses too many parts and too long fields', async () => {
    const many = await encode(
      form(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'x']))),
    );
    await expect(read(many.contentType, pieces(many.body, 500))).rejects.toThrow('too many parts');
    const long = await encode(form({ FileName: 'x'.repeat(20_000) }));
    await expect(read(long.contentType, pieces(long.body, 500))).rejects.toThrow('too long');
  });

  test(
    'comes to an end with every form, at any pace, and lets no error escape',
    { timeout: 120_000 },
    async () => {
      // The second kind of value ends the form where its part begins, which the parser takes for the head of one.
      const part = fc
        .tuple(
          fc.constantFrom('image', 'thumbnail', 'a', '', 'x'.repeat(150), undefined),
          fc.boolean(),
          fc.constantFrom(
            '',
            '--b--',
            '--b',
            'refuse',
            '\r\n',
            'y'.repeat(20_000),
            'z'.repeat(200_000),
          ),
        )
        .map(
          ([name, file, value]) =>
            `--b\r\nContent-Disposition: form-data${name === undefined ? '' : `; name="${name}"`}${file ? '; filename="x"' : ''}\r\n\r\n${value}\r\n`,
        );
      const body = fc
        .tuple(fc.array(part, { maxLength: 7 }), fc.constantFrom('--b--\r\n', '', '--b', 'rest'))
        .map(([parts, end]) => Buffer.from(parts.join('') + end));
      const turns = (count: number): Promise<void> =>
        count === 0
          ? Promise.resolve()
          : new Promise<void>((resolve) => setImmediate(resolve)).then(() => turns(count - 1));
      await fc.assert(
        fc.asyncProperty(
          body,
          fc.constantFrom(100, 5_000, 1_000_000),
          fc.nat(4),
          fc.nat(2),
          async (bytes, size, delay, fault) => {
            const open = new Set<string>();
            const receive = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
              await turns(delay);
              if (fault === 1) throw new Error('refused at once');
              for await (const chunk of stream)
                if (fault === 2 && chunk.length > 0) throw new Error('refused');
              const name = `file ${open.size}`;
              open.add(name);
              return name;
            };
            await readForm('multipart/form-data; boundary=b', pieces(bytes, size), {
              files: ['image', 'thumbnail'],
              receive,
              drop: (name) => Promise.resolve(void open.delete(name)),
            }).then(
              ({ files }) => expect([...open].sort()).toEqual([...files.values()].sort()),
              (error: unknown) =>
                expect([
                  open.size,
                  error instanceof MalformedFormError ||
                    /^refused/.test(String((error as Error).message)),
                ]).toEqual([0, true]),
            );
            await turns(2);
          },
        ),
        { numRuns: 300, seed: 9 },
      );
    },
  );
});
