import { NEEDS_NEW_PASSWORD } from '../../accounts/sessions/sign-in.ts';
import { html, type Html } from '../http/html.ts';

/** Logins of the demo data; all have the password `demo`. */
const demoLogins = ['associate', 'supervisor', 'leader', 'outsider'] as const;

/** How people may sign in. */
export interface SignInOffer {
  /** With the logins of the demo data. */
  demo: boolean;
  /** With login and password. */
  passwords: boolean;
  /** At OpenID providers. */
  providers: readonly { id: string; name: string }[];
}

/**
 * The part of a page where people sign in and out. The session is kept in sessionStorage: for this browser tab, on
 * every page of the gateway. It offers buttons with the demo logins, links to providers, and a form, as the gateway
 * does. Who comes with a one-time password is asked for a new one.
 */
export function sessionPanel(basePath: string, { demo, passwords, providers }: SignInOffer): Html {
  return html`<details id="session" data-base="${basePath}">
<summary><span id="session-who" role="status">Not signed in</span></summary>
<div id="signed-out">
${demo && passwords && html`<p class="demo">Demo logins: ${demoLogins.map((login) => html`<button type="button" class="quiet" data-demo="${login}">${login}</button> `)}</p>`}
${providers.length > 0 && html`<p>${providers.map(({ id, name }) => html`<a class="button" rel="nofollow" data-provider href="${basePath}/sign-in/${id}">Sign in with ${name}</a> `)}</p>`}
${
  passwords &&
  html`<form id="sign-in">
<label for="login">Login</label> <input id="login" name="login" required autocomplete="username" autocapitalize="off" spellcheck="false">
<label for="password">Password</label> <input id="password" name="password" type="password" required autocomplete="current-password">
<div id="new-password-part" hidden>
<p id="new-password-hint">This is a one-time password. Choose your own, of 12 characters or more: it replaces this one.</p>
<label for="new-password">New password</label> <input id="new-password" name="new-password" type="password" autocomplete="new-password" aria-describedby="new-password-hint new-password-fault">
<p class="fault" id="new-password-fault" role="alert"></p>
</div>
<button>Sign in</button>
</form>`
}
<p class="fault" id="session-said" role="alert"></p>
</div>
<div id="signed-in" hidden><p class="hint">Requests from this browser tab are sent with your session.</p>
<button type="button" class="quiet" id="sign-out">Sign out</button></div>
</details>
`;
}

/** The style of the panel as a bar above a page that has a style of its own, with a link to the front page in it. */
export const barStyle = `
header { position: relative; } #home { position: absolute; top: 0; right: .75rem; padding: .6rem 0; font: .95rem/1.4 system-ui, sans-serif; color: light-dark(#0a5bc4, #79b8ff); color-scheme: light dark; } #home:focus-visible { outline: 3px solid; outline-offset: -2px; }
#session { color-scheme: light dark; color: light-dark(#1b1f24, #e6edf3); background: light-dark(#f6f8fa, #1a2129); border-bottom: 1px solid light-dark(#8c959f, #6e7681); padding: 0 .75rem; font: .95rem/1.4 system-ui, sans-serif; }
#session summary { padding: .6rem 4.5rem .6rem 0; overflow-wrap: anywhere; font-weight: 600; cursor: pointer; } #session > div { padding-bottom: .75rem; } #session p { margin: .25rem 0 .5rem; } #session [hidden] { display: none; }
#session form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
#session input { width: 10rem; font: inherit; color: inherit; background: light-dark(#fff, #11161c); border: 1px solid light-dark(#8c959f, #6e7681); border-radius: 6px; padding: .4rem .6rem; }
#session .fault { color: light-dark(#b3261e, #ffb4ab); } #session .fault:empty { display: none; }
#new-password-part { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; } #new-password-part p { flex: 1 0 100%; margin: 0; }
#session button, #session .button { display: inline-block; box-sizing: border-box; text-decoration: none; font: inherit; font-weight: 600; min-height: 2.25rem; padding: .3rem .9rem; margin: 0 .25rem .25rem 0; border: 1px solid; border-radius: 6px; background: transparent; color: light-dark(#0a5bc4, #79b8ff); cursor: pointer; }
@media (max-width: 700px) { #session form { display: grid; grid-template-columns: auto minmax(0, 1fr); } #session input { width: auto; } #session form button { grid-column: 2; justify-self: start; } #new-password-part { grid-column: 1 / -1; } #new-password { flex: 1; } }
#session :focus-visible { outline: 3px solid light-dark(#0a5bc4, #79b8ff); outline-offset: 2px; } #session a { color: light-dark(#0a5bc4, #79b8ff); }
`;

/**
 * The script of the panel. It leaves `triviumSession` to the page: `headers()` for requests, `login()` (null for nobody),
 * `ended()` for a session that the gateway refused, and `onchange`, which is called after signing in and out.
 */
export const sessionScript = `
'use strict';
var triviumSession = (() => {
  const NEEDS_NEW = ${JSON.stringify(NEEDS_NEW_PASSWORD)};
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
  const session = {
    headers: () => current ? { [HEADER]: current.token } : {},
    login: () => current ? current.login : null,
    ended: () => keep(null),
    onchange: () => {},
  };
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
  const chosen = byId('new-password');
  /** Shows or hides the field of the new password, with what is wrong with what is in it. */
  const askForNew = (wanted, fault) => {
    byId('new-password-part').hidden = !wanted;
    chosen.required = wanted;
    chosen.ariaInvalid = fault ? 'true' : null;
    byId('new-password-fault').textContent = fault;
    if (wanted) chosen.focus();
    else chosen.value = '';
  };
  const fail = (why) => {
    byId('session-said').textContent = 'Not signed in: ' + why;
  };
  const enter = (login, body) => {
    keep({ login, token: body.token, expiresAt: body.expires_at });
    (panel.open ? byId('sign-out') : panel.querySelector('summary')).focus();
  };
  const saidBy = (answer, body) => typeof body.response === 'string' ? body.response : 'HTTP ' + answer.status;
  const signIn = async (login, password, newPassword) => {
    byId('session-said').textContent = '';
    byId('new-password-fault').textContent = '';
    try {
      const answer = await send('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ login, password, ...(newPassword && { new_password: newPassword }) }) });
      const body = await answer.json();
      if (!body.token) {
        const said = saidBy(answer, body);
        if (said === NEEDS_NEW) return askForNew(true, '');
        const [, fault] = said.match(/^new_password: (.*)$/s) || [];
        if (fault) return askForNew(true, 'It ' + fault + '.');
        throw new Error(said);
      }
      form.reset();
      askForNew(false, '');
      enter(login, body);
    } catch (error) {
      fail(error.message);
    }
  };
  const form = byId('sign-in');
  if (form) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void signIn(byId('login').value, byId('password').value, chosen.value);
    });
    // Another login or password may need no new one.
    for (const id of ['login', 'password']) byId(id).addEventListener('input', () => askForNew(false, ''));
  }
  for (const button of document.querySelectorAll('[data-demo]')) button.addEventListener('click', () => signIn(button.dataset.demo, 'demo'));
  // Users come back from a provider to the page where they were.
  for (const link of document.querySelectorAll('[data-provider]')) link.search = new URLSearchParams({ page: location.pathname.slice(base.length) });
  const isBack = location.hash === '#sign-in';
  const isFailed = location.hash === '#sign-in-failed';
  if (isBack || isFailed) history.replaceState(null, '', location.pathname + location.search);
  if (isFailed) panel.open = true;
  // Its cookie is for this request only, which no other site can send.
  const fetchSession = async () => {
    try {
      const answer = await send('/sign-in', { method: 'POST', credentials: 'same-origin' });
      const body = await answer.json();
      if (!body.token) throw new Error(saidBy(answer, body));
      enter(body.login, body);
    } catch (error) {
      panel.open = true;
      fail(error.message);
    }
  };
  byId('sign-out').addEventListener('click', () => {
    void send('/session', { method: 'DELETE', headers: session.headers() }).catch(() => {});
    keep(null);
    panel.querySelector('summary').focus();
  });
  show();
  if (isFailed) fail('the sign-in at the provider failed');
  if (isBack) void fetchSession();
  // A session that was ended elsewhere is no session.
  else if (current) send('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...session.headers() }, body: '{"query":"{ viewer { login } }"}' })
    .then((answer) => answer.json())
    .then(({ errors }) => { if (errors && errors[0].extensions.code === 'UNAUTHENTICATED') keep(null); })
    .catch(() => {});
  return session;
})();
`;
