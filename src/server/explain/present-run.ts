import { html, type Html } from '../http/html.ts';
import type { ExplainedRequest } from '../graphql/translate/translate-request.ts';

/** The part of the page that runs both requests side by side. */
export function presentRun({ kind, route }: ExplainedRequest): Html {
  if (kind === 'MUTATION')
    return html`<h2>Run both</h2><p>This operation changes something: it is shown here and not run.</p>`;
  return html`<h2>Run both</h2>
<noscript><p>Running both needs JavaScript; the translation does not.</p></noscript>
<form id="run" hidden autocomplete="off">
${
  route.auth === 'customer'
    ? html`${field('api-key', 'API-Key', 'API key')}${field('customer-id', 'customerId', 'Customer id')}
<p class="hint" id="key-hint">Sent in headers with both requests, never in a URL; gone when you leave the page.</p>`
    : html`<p class="hint">Both are sent with your session: sign in at the top of the page.</p>`
}
<button id="run-button">Run both</button>
</form>
<div class="pair" id="answers" hidden>
${answer('rest', 'REST')}
${answer('graphql', 'GraphQL')}
</div>`;
}

function field(id: string, header: string, label: string): Html {
  return html`<label for="${id}">${label}</label>
<input id="${id}" type="password" data-header="${header}" autocomplete="off" spellcheck="false" aria-describedby="key-hint">`;
}

function answer(name: string, title: string): Html {
  return html`<section><h3 id="${name}-title">${title}</h3><p class="hint" id="${name}-status" role="status"></p>
<pre id="${name}-answer" tabindex="0" role="region" aria-labelledby="${name}-title"></pre></section>`;
}
