import { sessionScript } from '../pages/session-panel.ts';

/**
 * The script of the page: copies text, and runs both requests with the session of this browser tab, or with the key that
 * was typed, which is only sent in headers and not stored.
 */
export const pageScript = `${sessionScript}
const byId = (id) => document.getElementById(id);
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
    const label = button.textContent;
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}
const pretty = (text) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };
const bounded = (text) => text.length > 200000 ? text.slice(0, 200000) + '\\n… ' + text.length + ' characters in all' : text;
async function run(name, url, init, headers) {
  const [status, output] = [byId(name + '-status'), byId(name + '-answer')];
  status.textContent = 'Running…';
  output.textContent = '';
  try {
    const started = performance.now();
    const answer = await fetch(url, { ...init, headers: { ...init.headers, ...headers }, credentials: 'omit', redirect: 'manual', referrerPolicy: 'no-referrer', cache: 'no-store', signal: AbortSignal.timeout(30000) });
    const type = answer.headers.get('content-type') || '';
    const isText = /json|text|xml/.test(type);
    const content = isText ? await answer.text() : await answer.arrayBuffer();
    const size = isText ? new Blob([content]).size : content.byteLength;
    status.textContent = 'HTTP ' + answer.status + ', ' + size + ' bytes, ' + Math.round(performance.now() - started) + ' ms';
    output.textContent = isText ? bounded(pretty(content)) : type + ', ' + size + ' bytes';
  } catch (error) {
    status.textContent = 'No answer: ' + (error instanceof Error ? error.message : error);
  }
}
const form = byId('run');
if (form) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const data = JSON.parse(byId('request').textContent);
    const headers = data.session ? triviumSession.headers() : {};
    for (const input of form.querySelectorAll('[data-header]')) if (input.value.trim() !== '') headers[input.dataset.header] = input.value.trim();
    byId('answers').hidden = false;
    byId('run-button').disabled = true;
    await Promise.all([run('rest', data.rest.url, data.rest.init, headers), run('graphql', data.graphql.url, data.graphql.init, headers)]);
    byId('run-button').disabled = false;
  });
}
`;
