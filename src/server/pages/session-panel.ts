import { html, type Html } from '../http/html.ts';

/** Logins of the demo data; all have the password `demo`. */
const demoLogins = ['associate', 'supervisor', 'leader', 'outsider'] as const;

/**
 * The part of a page where people sign in and out. The session is kept in sessionStorage: for this browser tab, on
 * every page of the gateway. With `offersDemo`, the demo logins are buttons.
 */
export function sessionPanel(basePath: string, offersDemo: boolean): Html {
  return html`<details id="session" data-base="${basePath}">
<summary><span id="session-who" role="status">Not signed in</span></summary>
<div id="signed-out">
${offersDemo && html`<p class="demo">Demo logins: ${demoLogins.map((login) => html`<button type="button" class="quiet" data-demo="${login}">${login}</button> `)}</p>`}
<form id="sign-in">
<label for="login">Login</label> <input id="login" name="login" required autocomplete="username" autocapitalize="off" spellcheck="false">
<label for="password">Password</label> <input id="password" name="password" type="password" required autocomplete="current-password">
<button>Sign in</button>
</form>
<p class="hint" id="session-said" role="alert"></p>
</div>
<div id="signed-in" hidden><p class="hint">Requests from this browser tab are sent with your session.</p>
<button type="button" class="quiet" id="sign-out">Sign out</button></div>
</details>
`;
}

/** The style of the panel as a bar above a page that has a style of its own. */
export const barStyle = `
#session { color-scheme: light dark; color: light-dark(#1b1f24, #e6edf3); background: light-dark(#f6f8fa, #1a2129); border-bottom: 1px solid light-dark(#8c959f, #6e7681); padding: 0 .75rem; font: .95rem/1.4 system-ui, sans-serif; }
#session summary { padding: .6rem 0; font-weight: 600; cursor: pointer; } #session > div { padding-bottom: .75rem; } #session p { margin: .25rem 0 .5rem; } #session [hidden] { display: none; }
#session form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
#session input { width: 10rem; font: inherit; color: inherit; background: light-dark(#fff, #11161c); border: 1px solid light-dark(#8c959f, #6e7681); border-radius: 6px; padding: .4rem .6rem; }
#session button { font: inherit; font-weight: 600; min-height: 2.25rem; padding: .3rem .9rem; margin: 0 .25rem .25rem 0; border: 1px solid; border-radius: 6px; background: transparent; color: light-dark(#0a5bc4, #79b8ff); cursor: pointer; }
@media (max-width: 700px) { #session form { display: grid; grid-template-columns: auto minmax(0, 1fr); } #session input { width: auto; } #session form button { grid-column: 2; justify-self: start; } }
#session :focus-visible { outline: 3px solid light-dark(#0a5bc4, #79b8ff); outline-offset: 2px; } #session a { color: light-dark(#0a5bc4, #79b8ff); }
`;

/**
 * The script of the panel. It leaves `triviumSession` to the page: `headers()` for requests, and `onchange`, which is
 * called after signing in and out.
 */
export const sessionScript = `
'use strict';
var triviumSession = (() => {
  const HEADER = 'X-service-csrf-token-X';
  const byId = (id) => document.getElementById(id);
  const panel = byId('session');
  const base = panel.dataset.base;
  const key = 'trivium.session:' + base;
  const read = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key));
      return kept && Date.parse(kept.expiresAt) > Date.now() ? kept : null;
    } catch { return null; }
  };
  let current = read();
  const session = { headers: () => current ? { [HEADER]: current.token } : {}, onchange: () => {} };
  const show = () => {
    byId('session-who').textContent = current ? 'Signed in as ' + current.login : 'Not signed in';
    byId('signed-out').hidden = current !== null;
    byId('signed-in').hidden = current === null;
  };
  const keep = (next) => {
    current = next;
    try { next ? sessionStorage.setItem(key, JSON.stringify(next)) : sessionStorage.removeItem(key); } catch {}
    show();
    session.onchange();
  };
  const send = (path, init) => fetch(base + path, { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', ...init });
  const signIn = async (login, password) => {
    byId('session-said').textContent = '';
    try {
      const answer = await send('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ login, password }) });
      const body = await answer.json();
      if (!body.token) throw new Error(typeof body.response === 'string' ? body.response : 'HTTP ' + answer.status);
      keep({ login, token: body.token, expiresAt: body.expires_at });
      byId('sign-in').reset();
      (panel.open ? byId('sign-out') : panel.querySelector('summary')).focus();
    } catch (error) {
      byId('session-said').textContent = 'Not signed in: ' + error.message;
    }
  };
  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    void signIn(byId('login').value, byId('password').value);
  });
  for (const button of document.querySelectorAll('[data-demo]')) button.addEventListener('click', () => signIn(button.dataset.demo, 'demo'));
  byId('sign-out').addEventListener('click', () => {
    void send('/session', { method: 'DELETE', headers: session.headers() }).catch(() => {});
    keep(null);
    panel.querySelector('summary').focus();
  });
  show();
  // A session that was ended elsewhere is no session.
  if (current) send('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...session.headers() }, body: '{"query":"{ viewer { login } }"}' })
    .then((answer) => answer.json())
    .then(({ errors }) => { if (errors && errors[0].extensions.code === 'UNAUTHENTICATED') keep(null); })
    .catch(() => {});
  return session;
})();
`;
