import type { Reply } from '../../core/rest/route.ts';
import { addDays, dayOf, type Day } from '../../core/time/days.ts';
import { limits } from '../graphql/limits/limits.ts';
import { Html, html, jsonForScript } from '../http/html.ts';
import { pageScript } from './page-script.ts';
import { hashOf, pageHeaders, pageText } from '../pages/page.ts';
import { pageStyle } from '../pages/page-style.ts';
import { sessionPanel, type SignInOffer } from '../pages/session-panel.ts';
import { presentRun } from './present-run.ts';
import type { ExplainedRequest } from '../graphql/translate/translate-request.ts';

/** The content of the page: the form as it was filled in, and its result. */
export interface ExplainPage {
  basePath: string;
  offer: SignInOffer;
  form: { url: string; method: string; body: string };
  outcome?:
    | { explained: ExplainedRequest; graphiql: string | null; link: string | null }
    | { failure: string };
}

/** Nothing is loaded from other sites; only the page's own script and style run. */
const policy = `default-src 'none'; script-src ${hashOf(pageScript)}; style-src ${hashOf(pageStyle)}; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const headers = pageHeaders(policy);

const examples = (today: Day): string[] => [
  '/task/v1/feeds/list?limit=2&status=O&sort_by=priority,endDateTime&sort_order=A,D',
  `/task/v1/feeds/count?start_date=${addDays(today, -3)}&end_date=${addDays(today, 3)}&view_type=SV`,
  `/task/v1/calendar?source_id=STORE_WALK_CAL&from_date=${addDays(today, -1)}&to_date=${addDays(today, 1)}`,
  '/task/v1/config/list?config_type=FEED',
];

/** GET and POST /explain. */
export function presentPage(page: ExplainPage, status: number): Reply {
  const { basePath, offer, form, outcome } = page;
  const head = html`<meta name="robots" content="noindex">
<title>${outcome && 'explained' in outcome ? `${outcome.explained.route.path} in GraphQL` : 'From a legacy request to GraphQL'} – Trivium</title>
<style>${new Html(pageStyle)}</style>`;
  const body = html`<header>
<a href="${basePath}/">Trivium</a>
<h1>From a legacy request to GraphQL</h1>
<p>Paste a request of the REST interfaces: here is the GraphQL operation that does the same, with its variables, its cost, and what of the request does not count.</p>
</header>
<main>
${sessionPanel(basePath, offer)}
<form method="post" action="${basePath}/explain">
<label for="url">Legacy request</label>
<textarea id="url" name="url" rows="4" required autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="url-hint">
${form.url}</textarea>
<p class="hint" id="url-hint">A URL of this gateway, a path with its query, or a whole curl command line. Tokens and keys in it are not kept.</p>
<details${form.method !== '' || form.body !== '' ? new Html(' open') : ''}>
<summary>Method and body</summary>
<label for="method">Method</label>
<select id="method" name="method">${['', 'GET', 'POST', 'DELETE'].map((name) => html`<option value="${name}"${form.method === name ? new Html(' selected') : ''}>${name === '' ? 'as written' : name}</option>`)}</select>
<label for="body">Body, JSON or a form</label>
<textarea id="body" name="body" rows="4" autocomplete="off" autocapitalize="off" spellcheck="false">
${form.body}</textarea>
</details>
<button>Translate</button>
</form>
${outcome === undefined && html`<h2>Examples</h2><ul class="examples">${examples(dayOf(Date.now())).map((url) => html`<li><a href="${basePath}/explain?url=${encodeURIComponent(url)}"><code>${url}</code></a></li>`)}</ul>`}
${outcome && 'failure' in outcome && html`<div class="error" role="alert"><h2>Not translated</h2><p>${outcome.failure}</p></div>`}
${outcome && 'explained' in outcome && presentOutcome(outcome, basePath)}
</main>
<script>${new Html(pageScript)}</script>`;
  return { status, headers, body: pageText(head, body) };
}

function presentOutcome(
  {
    explained,
    graphiql,
    link,
  }: { explained: ExplainedRequest; graphiql: string | null; link: string | null },
  basePath: string,
): Html {
  const { method, target, route, field, kind, cost, text, variables, ignored, notes } = explained;
  const writes = kind === 'MUTATION';
  return html`<div class="result${writes ? ' write' : ''}" role="status">
<h2><code>${method} ${target.replace(/\?.*/s, '')}</code> is <code>${field}</code></h2>
<p>${route.summary} It ${writes ? 'writes: a mutation' : 'reads: a query'}. Cost <strong>${cost}</strong> of ${limits.cost}.</p>
</div>
<div class="pair">
<section><h2 id="operation-title">Operation</h2>
<pre id="operation" tabindex="0" role="region" aria-labelledby="operation-title">${text}</pre>
<button type="button" class="quiet" data-copy="operation" hidden>Copy operation</button>
</section>
<section><h2 id="variables-title">Variables</h2>
<pre id="variables" tabindex="0" role="region" aria-labelledby="variables-title">${JSON.stringify(variables, null, 2)}</pre>
<button type="button" class="quiet" data-copy="variables" hidden>Copy variables</button>
${graphiql !== null && html`<a class="button" href="${graphiql}">Open in GraphiQL</a>`}
${link !== null && html`<p class="hint"><a href="${link}">Link to this page</a></p>`}
</section>
</div>
<h2 id="ignored-title">What does not count</h2>
${ignored.length === 0 && html`<p>Every parameter counts as it was sent.</p>`}
${ignored.length > 0 && html`<table aria-labelledby="ignored-title"><thead><tr><th scope="col">Parameter</th><th scope="col">Why</th></tr></thead><tbody>${ignored.map(({ name, reason }) => html`<tr><td><code>${name}</code></td><td>${reason}</td></tr>`)}</tbody></table>`}
${notes.length > 0 && html`<h2>What differs</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
${presentRun(explained)}
<script type="application/json" id="request">${jsonForScript(requestsOf(explained, basePath))}</script>`;
}

/** Both requests as arguments for fetch; requests that write are left out. */
function requestsOf(
  { kind, route, method, target, headers, body, text, variables }: ExplainedRequest,
  basePath: string,
): object {
  if (kind === 'MUTATION') return {};
  const sent = body === '' ? {} : { body };
  return {
    session: route.auth !== 'customer',
    rest: { url: basePath + target, init: { method, headers, ...sent } },
    graphql: {
      url: `${basePath}/graphql`,
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables }),
      },
    },
  };
}
