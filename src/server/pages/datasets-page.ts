import type { RestReply } from '../../core/rest/route.ts';
import { html, Html } from '../http/html.ts';
import { Assets } from './assets.ts';
import { hashOf, pageHeaders, pageText } from './page.ts';
import { datasetsStyle } from './datasets-style.ts';
import { sessionPanel, sessionScript, type SignInOffer } from './session-panel.ts';

/** Images are shown from the memory of the page: they are fetched with the session, and some are decrypted there. */
const headers = {
  ...pageHeaders(
    `default-src 'none'; script-src 'self' ${hashOf(sessionScript)}; style-src 'self'; img-src data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  ),
  'cache-control': 'no-cache',
};

/** The files of the page of datasets. */
export const datasetsAssets = new Assets('datasets', async () => {
  const { datasetsScript } = await import('../../generated/page-scripts.ts');
  return { 'datasets.js': datasetsScript, 'datasets.css': datasetsStyle };
});

/**
 * GET /datasets: workspaces, datasets, and images with what is annotated on them, where boxes are drawn. What is the
 * reader's is not written here but by the page's script: no cookie brings the session, it is kept by the browser tab.
 */
export async function presentDatasets(basePath: string, offer: SignInOffer): Promise<RestReply> {
  const path = basePath + (await datasetsAssets.path());
  const head = html`<title>Datasets – Trivium</title>
<link rel="stylesheet" href="${path}datasets.css">
<script defer src="${path}datasets.js"></script>`;
  const body = html`<header><a href="${basePath}/">Trivium</a></header>
<main>
${sessionPanel(basePath, offer)}
<h1 id="title" tabindex="-1">Datasets</h1>
<noscript><p>This page needs JavaScript, because the session is kept by the browser tab and not by a cookie. The same is at <code>${basePath}/graphql</code> and in the <a href="${basePath}/docs">REST docs</a>, which programs can use.</p></noscript>
<p id="said" role="status"></p>
<p id="failed" class="fault" role="alert"></p>
<div id="view"></div>
</main>
<script>${new Html(sessionScript)}</script>`;
  return { headers, body: pageText(head, body) };
}
