/** What the panel to sign in leaves to the page. */
interface PanelSession {
  headers(): Record<string, string>;
  /** Login of who is signed in; null if nobody is. */
  login(): string | null;
  /** Forgets a session that the gateway does not know any more. */
  ended(): void;
  /** Called after every change of who is signed in. */
  onchange: () => void;
}

declare const triviumSession: PanelSession;

/** The session of this browser tab. */
export const session: PanelSession = triviumSession;

const panel = document.getElementById('session');

/** Path below which the gateway is; empty at the root. */
export const basePath: string = panel?.dataset['base'] ?? '';

/** The session token; empty if nobody is signed in. */
export function sessionToken(): string {
  return Object.values(session.headers())[0] ?? '';
}

/** Opens the panel, where the reader can sign in, or closes it. */
export function showPanel(isOpen: boolean): void {
  if (panel instanceof HTMLDetailsElement) panel.open = isOpen;
}
