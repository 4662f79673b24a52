import { request } from 'node:http';
import { createServer } from 'node:net';
import sharp from 'sharp';

/** Waits for a gateway with demo data, and uses each way in once: sign-in, REST, GraphQL, an upload, a stream. Fails loudly. */
export async function useGateway(url, say) {
  const ready = () =>
    fetch(`${url}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
  say('ready');
  const signedIn = await answer(`${url}/session`, json({ login: 'leader', password: 'demo' }));
  const headers = { 'X-service-csrf-token-X': signedIn.token };
  const post = (path, body) => answer(url + path, json(body, headers));
  const graphql = async (query, variables) => {
    const { data, errors } = await post('/graphql', { query, variables });
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  say('signed in');

  const page = await answer(`${url}/task/v1/feeds/list?limit=20`, { headers });
  expect(page.feed_details?.length === 20, 'no page of 20 feeds by REST');
  const { viewer } = await graphql(
    '{ viewer { feeds(first: 20) { changeCursor nodes { id feedKey } pageInfo { endCursor } } } }',
  );
  const feeds = viewer.feeds.nodes;
  expect(
    page.feed_details.every(({ feed_key }, n) => feeds[n]?.feedKey === feed_key) &&
      viewer.feeds.pageInfo.endCursor === page.next_cursor,
    'GraphQL has another page than REST',
  );
  say('read the same page by REST and by GraphQL');

  const { viewer: same } = await askForHttp2(`${url}/graphql`, '{ viewer { login } }', headers);
  expect(same.login === 'leader', 'a client that asks for HTTP/2 was not answered');
  say('answered a client that asks for HTTP/2');

  const { data: workspaceId } = await post('/api/Workspaces/create', { name: 'Smoke' });
  const set = { workspaceId, name: 'Smoke', description: 'One image' };
  const { data: datasetId } = await post('/api/Datasets/create', set);
  const picture = { width: 640, height: 480, channels: 3, background: '#2563eb' };
  const form = new FormData();
  form.set('DatasetId', datasetId);
  form.set('FileName', 'blue.png');
  form.set('Image', new Blob([await sharp({ create: picture }).png().toBuffer()]));
  const upload = { method: 'POST', body: form, headers };
  const { data: image } = await answer(`${url}/api/Images/addImage`, upload);
  const thumbnail = await fetch(`${url}/api/Images/downloadThumb?imageId=${image}`, {
    headers,
  });
  expect(thumbnail.ok, `the thumbnail answered ${thumbnail.status}`);
  const { format } = await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata();
  expect(format === 'jpeg', `the thumbnail is ${format}`);
  say('uploaded an image and read its thumbnail');

  const events = await fetch(`${url}/graphql`, {
    ...json(
      {
        query:
          'subscription ($after: ChangeCursor) { feedChanged(after: $after) { ... on FeedUpserted { feed { id } } } }',
        variables: { after: viewer.feeds.changeCursor },
      },
      { ...headers, accept: 'text/event-stream' },
    ),
  });
  await graphql(
    'mutation ($input: SetFeedStateInput!) { setFeedState(input: $input) { __typename } }',
    {
      input: { feedIds: [feeds[0].id], pinned: true },
    },
  );
  let received = '';
  for await (const bytes of events.body) {
    received += Buffer.from(bytes).toString();
    if (received.includes(feeds[0].id)) break;
  }
  expect(received.includes(feeds[0].id), 'the stream ended without the change');
  say('subscribed, and was told of a change');
}

/** As clients with HTTP/2 do over a plain connection. */
function askForHttp2(url, query, headers) {
  const asks = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  const { body, ...init } = json({ query }, { ...headers, ...asks });
  return new Promise((resolve, reject) => {
    const sent = request(url, init, async (reply) => {
      const text = (await reply.toArray()).join('');
      resolve(JSON.parse(text).data);
    });
    sent.once('error', reject).end(body);
  });
}

function json(body, headers = {}) {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

async function answer(url, init) {
  const reply = await fetch(url, init);
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
  return reply.json();
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

/** A port of loopback that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
