import type { RestReply } from '../../core/rest/route.ts';
import { Html, html } from '../http/html.ts';
import { hashOf, pageHeaders, pageText } from './page.ts';
import { pageStyle } from './page-style.ts';
import { sessionPanel, sessionScript, type SignInOffer } from './session-panel.ts';

const frontScript = `${sessionScript}document.getElementById('session').open = true;`;

const headers = pageHeaders(
  `default-src 'none'; script-src ${hashOf(frontScript)}; style-src ${hashOf(pageStyle)}; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
);

const roads = [
  {
    name: 'Task execution',
    about: 'Feeds, calendars, the leadership calendar and configuration; changes as they happen.',
    path: '/task/v1',
  },
  {
    name: 'Datasets',
    about: 'Workspaces, datasets, images, projects with annotations, and exports.',
    path: '/api',
  },
  {
    name: 'Task tracker',
    about: 'Tasks and templates from outside, with an API key; each task becomes a feed.',
    path: '/api/task-tracker-external',
  },
];

/** What the front page links to; the start banner names the same pages. */
export function pageLinks(graphiql: boolean): { name: string; path: string; about: string }[] {
  return [
    {
      name: 'Datasets',
      path: '/datasets',
      about: 'Look at images and their annotations, draw boxes.',
    },
    ...(graphiql
      ? [{ name: 'GraphiQL', path: '/graphql', about: 'Write and run GraphQL in the browser.' }]
      : []),
    { name: 'REST docs', path: '/docs', about: 'Every REST path, with examples.' },
    { name: 'OpenAPI', path: '/openapi.json', about: 'The same for programs: OpenAPI 3.1.' },
    { name: 'Explain', path: '/explain', about: 'What a REST request is in GraphQL.' },
    { name: 'Health', path: '/readyz', about: 'Whether the gateway and its database answer.' },
  ];
}

/** GET /: what this gateway is, and where to go. */
export function presentFront({
  basePath,
  graphiql,
  offer,
}: {
  basePath: string;
  graphiql: boolean;
  offer: SignInOffer;
}): RestReply & { body: string } {
  const head = html`<title>Trivium</title>
<style>${new Html(pageStyle)}</style>`;
  const body = html`<header>
<h1>Trivium</h1>
<p>One GraphQL gateway to three APIs. Every documented REST path is served too, by the same operations.</p>
</header>
<main>
${sessionPanel(basePath, offer)}
<div class="roads">
${roads.map(
  ({
    name,
    about,
    path,
  }) => html`<section aria-labelledby="road-${path.slice(1)}"><h2 id="road-${path.slice(1)}">${name}</h2>
<p>${about}</p><p class="hint">REST below <code>${path}</code></p></section>
`,
)}</div>
<h2>Pages</h2>
<dl>
${pageLinks(graphiql).map(({ name, path, about }) => html`<dt><a href="${basePath}${path}">${name}</a></dt><dd>${about}</dd>\n`)}</dl>
<p class="hint">GraphQL is at <code>${basePath}/graphql</code>, over HTTP, server-sent events and WebSocket.</p>
</main>
<script>${new Html(frontScript)}</script>`;
  return { headers: { ...headers, 'cache-control': 'no-cache' }, body: pageText(head, body) };
}
