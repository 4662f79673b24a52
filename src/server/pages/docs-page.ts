import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RestReply } from '../../core/rest/route.ts';
import { html, Html, jsonForScript } from '../http/html.ts';
import { Assets } from './assets.ts';
import { hashOf, pageHeaders, pageText } from './page.ts';
import { barStyle, sessionPanel, sessionScript, type SignInOffer } from './session-panel.ts';

const pageStyle = `
${barStyle}
body { margin: 0; } html.dark-mode { background: #1c2022; }
#docs :focus-visible { outline: 3px solid #2f81f7 !important; outline-offset: 1px; } .swagger-ui .opblock .view-line-link:focus-within { width: 18px; margin: 0 5px; }
.swagger-ui .wrapper { padding: 0 .75rem; } .swagger-ui td.response-col_links { min-width: 0; } .swagger-ui .opblock-summary-path { max-width: none; overflow-wrap: anywhere; }
@media (max-width: 700px) {
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; width: auto; } .swagger-ui thead { display: none; }
  .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock-tag { flex-wrap: wrap; } .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 0; } .swagger-ui .opblock-body pre, .swagger-ui .info code { overflow-wrap: anywhere; white-space: pre-wrap; }
  .swagger-ui select, .swagger-ui input[type=text] { max-width: 100% !important; min-width: 0 !important; }
}
`;

/**
 * Sends the session with every request that is tried. Only what is required is filled in: the examples of all other
 * parameters, sent together, would find nothing.
 */
const startScript = `${sessionScript}
{
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const show = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', show);
  show();
  const withoutOptionalExamples = (description) => {
    for (const operations of Object.values(description.paths))
      for (const { parameters = [] } of Object.values(operations))
        for (const parameter of parameters)
          if (!parameter.required && 'example' in parameter) {
            parameter.description += ' Example: ' + parameter.example;
            delete parameter.example;
          }
    return description;
  };
  window.addEventListener('DOMContentLoaded', () => {
    const options = JSON.parse(document.getElementById('options').textContent);
    SwaggerUIBundle({
      ...options,
      domNode: document.getElementById('docs'),
      requestInterceptor: (request) => {
        request.headers = { ...triviumSession.headers(), ...request.headers };
        return request;
      },
      responseInterceptor: (response) => {
        if (response.ok && new URL(response.url).pathname === options.url)
          response.text = JSON.stringify(withoutOptionalExamples(JSON.parse(response.text)));
        return response;
      },
    });
  });
}
`;

const headers = {
  ...pageHeaders(
    `default-src 'none'; script-src 'self' ${hashOf(startScript)}; style-src 'self' ${hashOf(pageStyle)}; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  ),
  'cache-control': 'no-cache',
};

const files = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/** The files of the reference page: Swagger UI. */
export const docsAssets = new Assets('docs', async () => {
  const { resolve } = createRequire(import.meta.url);
  const texts = files.map(
    async (file) => [file, await readFile(resolve(`swagger-ui-dist/${file}`), 'utf8')] as const,
  );
  return Object.fromEntries(await Promise.all(texts));
});

/** GET /docs: the OpenAPI document for people, who can try requests with their session. */
export async function presentDocs(basePath: string, offer: SignInOffer): Promise<RestReply> {
  const path = basePath + (await docsAssets.path());
  const options = {
    url: `${basePath}/openapi.json`,
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  };
  const head = html`<title>REST docs – Trivium</title>
<link rel="stylesheet" href="${path}swagger-ui.css">
<style>${new Html(pageStyle)}</style>
<script defer src="${path}swagger-ui-bundle.js"></script>`;
  const body = html`<noscript>This page needs JavaScript; <a href="${basePath}/openapi.json">openapi.json</a> does not.</noscript>
<header><a id="home" href="${basePath}/">Trivium</a>${sessionPanel(basePath, offer)}</header>
<div id="docs"></div>
<script type="application/json" id="options">${jsonForScript(options)}</script>
<script>${new Html(startScript)}</script>`;
  return { headers, body: pageText(head, body) };
}
