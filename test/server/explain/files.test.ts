import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

let app: DatasetApp;
let dataset: string;
let project: string;
const images: string[] = [];
beforeAll(async () => {
  app = await startDatasetApp('filesystem');
  const workspace = await app.workspace();
  dataset = await app.dataset(workspace);
  project = await app.project(workspace, dataset);
  for (const size of [40, 50, 60, 70, 80])
    images.push(await app.image(dataset, await jpeg(size, size)));
}, 120_000);
afterAll(() => app.close());

const owner = (query: string, variables: object = {}): ReturnType<DatasetApp['gql']> =>
  app.gql(query, variables, app.tokens.owner);

/** The translation of a request, and what it answers with these variables instead of its own. */
async function translate(
  url: string,
): Promise<{ notes: string; variables: object; run: (more?: object) => Promise<any> }> {
  const { data } = await owner(
    'query ($url: String!) { translateLegacyRequest(url: $url) { operation variables notes } }',
    { url },
  );
  const { operation, variables, notes } = data.translateLegacyRequest;
  const run = async (more = {}): Promise<any> => {
    const answer = await owner(operation, { ...variables, ...more });
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  return { notes: notes.join(' '), variables, run };
}

/** Downloads what an absolute address names. */
const fetchFrom = (url: string): ReturnType<DatasetApp['download']> =>
  app.download(url.slice(app.url.length));

describe('what REST gives as a file or a numbered page, its translation finds', () => {
  it.each([
    [2, 1],
    [2, 2],
    [2, 3],
    [2, 4],
    [3, 2],
    [150, 1],
  ])('images: pages of %i, page %i', async (pageSize, pageNumber) => {
    const url = `/api/Datasets/images?DatasetId=${dataset}&PageSize=${pageSize}&PageNumber=${pageNumber}`;
    const page = await app.data(app.get(url));
    const { notes, run } = await translate(url);
    const begin = (pageNumber - 1) * pageSize;
    if (pageNumber > 1) expect(notes).toContain(`page ${pageNumber} begins behind row ${begin}.`);
    // As the notes say: from the beginning, with the endCursor as after.
    const rows: any[] = [];
    let found = (await run()).dataset.images;
    for (rows.push(...found.nodes); found.pageInfo.hasNextPage; rows.push(...found.nodes))
      found = (await run({ after: found.pageInfo.endCursor })).dataset.images;
    const wanted = rows.slice(begin, begin + pageSize);
    const plain = ({ id, uuid, createdDate, createdAt = createdDate, ...row }: any): object => ({
      ...row,
      id: id ?? uuid,
      createdAt: Date.parse(createdAt),
    });
    expect(page.data.map(plain)).toEqual(wanted.map(plain));
    expect([page.totalCount, page.data.length]).toEqual([
      found.totalCount,
      Math.max(0, Math.min(pageSize, images.length - begin)),
    ]);
  });

  it('images: the same bytes', async () => {
    for (const id of images) {
      const [whole, thumbnail] = [
        await translate(`/api/Images/download?imageId=${id}`),
        await translate(`/api/Images/downloadThumb?imageId=${id}`),
      ];
      const { image } = await whole.run();
      const rest = await app.download(`/api/Images/download?imageId=${id}`);
      expect((await fetchFrom(image.downloadUrl)).bytes.equals(rest.bytes)).toBe(true);
      expect(image.byteSize).toBe(rest.bytes.length);
      const small = await app.download(`/api/Images/downloadThumb?imageId=${id}`);
      expect(
        (await fetchFrom((await thumbnail.run()).image.thumbnailUrl)).bytes.equals(small.bytes),
      ).toBe(true);
    }
  });

  it('exports: a job whose archive holds the same files, and whose address is translated too', async () => {
    const url = `/api/Projects/export?projectId=${project}&dataFilter=All`;
    const { exportProject } = await (await translate(url)).run();
    const read = async (): Promise<any> =>
      (
        await owner(
          'query ($id: ID!) { node(id: $id) { ... on ExportJob { state downloadUrl } } }',
          { id: exportProject.job.id },
        )
      ).data.node;
    const job = await vi.waitUntil(
      async () => {
        const now = await read();
        return now.state === 'SUCCEEDED' && now;
      },
      { timeout: 25_000, interval: 50 },
    );
    const archive = await fetchFrom(job.downloadUrl);
    const streamed = await app.download(url);
    expect(filesIn(archive.bytes)).toEqual(filesIn(streamed.bytes));
    expect(filesIn(archive.bytes)).toEqual(
      expect.arrayContaining(['project.json', ...images.map((id) => expect.stringContaining(id))]),
    );

    const path = new URL(job.downloadUrl).pathname;
    const { node } = await (await translate(path)).run();
    expect(node).toMatchObject({
      state: 'SUCCEEDED',
      downloadUrl: job.downloadUrl,
      byteSize: archive.bytes.length,
    });
    expect((await app.download(path)).bytes.equals(archive.bytes)).toBe(true);
  });

  it('calendars: the subscription is in the list as long as its address answers', async () => {
    const create = await owner(
      'mutation { createCalendarSubscription(input: { timeZone: "Europe/Berlin" }) { ... on CreateCalendarSubscriptionPayload { icsUrl subscriptionId } } }',
    );
    const { icsUrl, subscriptionId } = create.data.createCalendarSubscription;
    const { run, variables } = await translate(new URL(icsUrl).pathname);
    const listed = async (): Promise<any[]> =>
      (await run()).viewer.calendarSubscriptions.filter(
        (one: any) => one.subscriptionId === subscriptionId,
      );
    const status = async (): Promise<number> => (await fetchFrom(icsUrl)).status;
    expect(variables).toEqual({});
    expect([await status(), await listed()]).toMatchObject([200, [{ timeZone: 'Europe/Berlin' }]]);
    expect((await fetchFrom(icsUrl)).bytes.toString()).toContain('BEGIN:VCALENDAR');
    await owner(
      'mutation ($id: ID!) { revokeCalendarSubscription(input: { subscriptionId: $id }) { __typename } }',
      { id: subscriptionId },
    );
    expect([await status(), await listed()]).toEqual([404, []]);
  });
});

/** The names in the central directory of a ZIP archive. */
function filesIn(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  const names = Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const begin = at + 46;
    at = begin + name + extra + comment;
    return zip.subarray(begin, begin + name).toString();
  });
  return names.sort();
}
