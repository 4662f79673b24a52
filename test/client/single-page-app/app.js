import { createClient, ResyncRequiredError } from '@trivium/client';

const SignIn = `mutation SignIn($input: SignInInput!) { signIn(input: $input) { token } }`;
const SignOut = `mutation SignOut { signOut { signedOut } }`;
const Feeds = `query Feeds { viewer { feeds(first: 20) { changeCursor nodes { id feedTitle status } } } }`;
const FeedChanged = `subscription FeedChanged($after: ChangeCursor) {
  feedChanged(after: $after) {
    __typename
    ... on FeedUpserted { cursor feed { id feedTitle status } }
    ... on FeedRemoved { cursor feedId }
    ... on ResyncRequired { reason }
    ... on FeedStreamEnded { cursor }
  }
}`;

const form = document.querySelector('form');
const main = document.querySelector('main');
const client = createClient({
  url: 'http://127.0.0.1:4000/graphql',
  token: () => sessionStorage.getItem('token') ?? undefined,
});

/** Shows the first feeds, and what changes, until the session ends. */
async function start() {
  form.hidden = true;
  main.hidden = false;
  try {
    for (;;) {
      const { feeds } = (await client.request(Feeds)).viewer;
      const shown = new Map(feeds.nodes.map((feed) => [feed.id, feed]));
      show(shown);
      try {
        const after = feeds.changeCursor;
        for await (const event of client.follow(FeedChanged, { after }, (all) => all.feedChanged)) {
          if (event.__typename === 'FeedUpserted') shown.set(event.feed.id, event.feed);
          else shown.delete(event.feedId);
          show(shown);
        }
      } catch (error) {
        // The position is too old, as after a night of sleep: all over again.
        if (!(error instanceof ResyncRequiredError)) throw error;
      }
    }
  } catch (error) {
    end(error);
  }
}

function show(feeds) {
  const items = [...feeds.values()].map(({ feedTitle, status }) => {
    const item = document.createElement('li');
    item.textContent = `${feedTitle}: ${status}`; // never innerHTML: titles are what people typed
    return item;
  });
  main.querySelector('ul').replaceChildren(...items);
}

/** Back to the form, with the reason. */
function end(error) {
  sessionStorage.removeItem('token');
  form.hidden = false;
  main.hidden = true;
  document.querySelector('[role=alert]').textContent = error.message;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const input = Object.fromEntries(new FormData(form));
    sessionStorage.setItem('token', (await client.request(SignIn, { input })).signIn.token);
    form.reset();
    document.querySelector('[role=alert]').textContent = '';
  } catch (error) {
    return end(error);
  }
  start();
});
main.querySelector('button').addEventListener('click', async () => {
  await client.request(SignOut).catch(() => undefined);
  sessionStorage.removeItem('token');
  location.reload();
});

if (sessionStorage.getItem('token')) start();
else form.hidden = false;
