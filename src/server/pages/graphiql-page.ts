import type { RestReply } from '../../core/rest/route.ts';
import { html, Html, jsonForScript } from '../http/html.ts';
import { Assets } from './assets.ts';
import { hashOf, pageHeaders, pageText } from './page.ts';
import { readyTabs } from './ready-tabs.ts';
import { barStyle, sessionPanel, sessionScript, type SignInOffer } from './session-panel.ts';

const pageStyle = `
${barStyle}
#session summary { padding-right: 9rem; } #save { position: absolute; top: .35rem; right: 5rem; font: .95rem/1.4 system-ui, sans-serif; min-height: 1.9rem; padding: 0 .75rem; color-scheme: light dark; color: light-dark(#0a5bc4, #79b8ff); background: transparent; border: 1px solid; border-radius: 6px; cursor: pointer; } #save:focus-visible { outline: 3px solid; outline-offset: 2px; }
html, body { height: 100%; margin: 0; } body { display: flex; flex-direction: column; height: 100dvh; } header { flex: none; } #root { flex: 1; min-height: 16rem; overflow: hidden; }
#root .graphiql-container { height: 100%; min-height: 0; } .graphiql-doc-explorer-search { min-width: 8.5rem; }
#root :focus-visible:not(.monaco-editor *), [role=dialog] :focus-visible { outline: 3px solid #2f81f7 !important; outline-offset: -3px; } #root :is(.graphiql-execute-button, .graphiql-editor):focus-visible { outline-offset: 3px; }
@media (max-width: 700px) {
  .graphiql-container .graphiql-sidebar { width: 44px; padding: 4px 0; }
  .graphiql-main { position: relative; } .graphiql-main > .graphiql-horizontal-drag-bar { display: none; } .graphiql-main > .graphiql-plugin:has(> *) { position: absolute; inset: 0; max-width: none; overflow: auto; } .graphiql-main:has(> .graphiql-plugin > *) > .graphiql-sessions { visibility: hidden; }
  .graphiql-container .graphiql-logo { display: none; }
  .graphiql-container .graphiql-sessions { margin: 4px; }
  #graphiql-session { flex-direction: column; }
  #graphiql-session > .graphiql-horizontal-drag-bar { display: none; }
  #graphiql-session > div { flex: 1 1 0 !important; min-height: 0; min-width: 0; left: 0 !important; position: static !important; }
}
`;

/** Sends the session with every request, and gives GraphiQL an editor for each part of the API. */
const startScript = `${sessionScript}
{
  const { path, options } = JSON.parse(document.getElementById('options').textContent);
  const workers = { json: 'json-worker.js', graphql: 'graphql-worker.js' };
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => path + (workers[label] || 'editor-worker.js') };
  triviumSession.onchange = () => { document.getElementById('session').open = false; };
  // Tab writes into the editor; Escape leaves it for what is around it, and Tab goes on from there.
  document.addEventListener('keydown', (event) => {
    const editor = event.target.closest?.('.monaco-editor')?.closest('.graphiql-editor, .result-window');
    if (event.key !== 'Escape' || !editor || document.querySelector('.suggest-widget.visible, .find-widget.visible')) return;
    editor.tabIndex = 0;
    editor.focus();
  }, true);
  const query = new URL(location.href).searchParams.get('query');
  if (query) options.defaultTabs.unshift({ query });
  else {
    // Without a query, GraphiQL would add an empty tab to those of the last visit.
    try {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
      options.initialQuery = tabs[activeTabIndex].query;
      options.initialVariables = tabs[activeTabIndex].variables;
    } catch {}
  }
  let shown = query || options.initialQuery || options.defaultTabs[0].query;
  options.onTabChange = ({ tabs, activeTabIndex }) => { shown = tabs[activeTabIndex].query; };
  const save = () => {
    if (!shown) return;
    const [, name = 'document'] = /^\\s*(?:query|mutation|subscription)\\s+(\\w+)/m.exec(shown) || [];
    const href = URL.createObjectURL(new Blob([shown]));
    Object.assign(document.createElement('a'), { href, download: name + '.graphql' }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  };
  // GraphiQL tells of an edit a tenth of a second after it.
  const saveSoon = () => setTimeout(save, 200);
  document.getElementById('save').addEventListener('click', saveSoon);
  document.addEventListener('keydown', (event) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    saveSoon();
  });
  window.addEventListener('DOMContentLoaded', () => YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), { ...options, additionalHeaders: () => triviumSession.headers() }));
}
`;

/**
 * Its script and style come from this gateway; nothing is loaded from or sent to other sites. Its editor writes styles
 * into the page.
 */
const headers = {
  ...pageHeaders(
    `default-src 'none'; script-src 'self' ${hashOf(startScript)}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  ),
  'cache-control': 'no-cache',
  vary: 'Accept',
};

/** The files of GraphiQL, 9 MB. */
export const graphiqlAssets = new Assets('graphiql', async () => {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } =
    await import('@graphql-yoga/render-graphiql/graphiql');
  return {
    'graphiql.js': js,
    'graphiql.css': css,
    'editor-worker.js': editorWorkerService,
    'json-worker.js': jsonWorker,
    'graphql-worker.js': graphqlWorker,
  };
});

/** GET /graphql in a browser. */
export async function presentGraphiQL({
  basePath,
  offer,
  now,
}: {
  basePath: string;
  offer: SignInOffer;
  now: number;
}): Promise<RestReply & { body: string }> {
  const path = basePath + (await graphiqlAssets.path());
  const options = {
    title: 'Trivium',
    logo: ' ',
    endpoint: `${basePath}/graphql`,
    defaultTabs: readyTabs(now),
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'variables',
  };
  const head = html`<title>GraphiQL – Trivium</title>
<link rel="stylesheet" href="${path}graphiql.css">
<style>${new Html(pageStyle)}</style>
<script defer src="${path}graphiql.js"></script>`;
  const body = html`<noscript>GraphiQL needs JavaScript.</noscript>
<header><button type="button" id="save" title="Save this tab as a .graphql file (Ctrl-S)">Save</button><a id="home" href="${basePath}/">Trivium</a>${sessionPanel(basePath, offer)}</header>
<main id="root"></main>
<script type="application/json" id="options">${jsonForScript({ path, options })}</script>
<script>${new Html(startScript)}</script>`;
  return { headers, body: pageText(head, body) };
}
