import { element } from './page/element.ts';
import { WrongKeyError } from '../sdk/assert-key.ts';
import { Refusal } from './page/ask.ts';
import type { WorkspaceRow } from './page/documents.ts';
import type { Page } from './page/view.ts';
import { isOpen, open } from './pictures.ts';

/** Files of keys are this small. */
const LARGEST = 1_000;

/**
 * Where the key of a workspace is asked for: at once unless it is open, and when an image needs another key, as while the
 * workspace changes it. `fail` tells why an image is not shown.
 */
export function keyPlace(
  workspace: WorkspaceRow,
  page: Page,
): { root: HTMLElement; fail: (error: unknown) => void } {
  const root = element('div', {}, !isOpen(workspace) && keyForm(workspace, page.again));
  const fail = (error: unknown): void => {
    if (page.signal.aborted) return;
    page.fail(error);
    if (error instanceof WrongKeyError && root.childElementCount === 0)
      root.append(keyForm(workspace, page.again));
  };
  return { root, fail };
}

/** Asks for the key of an encrypted workspace: typed, or from a file. The key stays in the memory of this page. */
function keyForm(workspace: WorkspaceRow, done: () => void): HTMLFormElement {
  const typed = element('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': 'key-hint key-fault',
  });
  const file = element('input', { id: 'key-file', type: 'file', 'aria-describedby': 'key-fault' });
  const fault = element('p', { id: 'key-fault', class: 'fault', role: 'alert' });
  const submit = async (): Promise<void> => {
    fault.textContent = '';
    try {
      const [chosen] = file.files ?? [];
      await open(workspace, chosen ? await readKey(chosen) : typed.value.trim());
    } catch (error) {
      fault.textContent = whyNot(error);
      typed.ariaInvalid = 'true';
      typed.focus();
      return;
    }
    done();
  };
  return element(
    'form',
    {
      id: 'key-form',
      class: 'card',
      onsubmit: (event) => {
        event.preventDefault();
        void submit();
      },
    },
    element('h2', {}, `${workspace.name} is encrypted`),
    element(
      'p',
      { id: 'key-hint', class: 'hint' },
      'Its images are decrypted in this page. The key is kept in the memory of this page until you leave it or sign out, and is never sent.',
    ),
    element('label', { for: 'key' }, 'Key, 64 hexadecimal digits or 44 characters of base64'),
    typed,
    element('label', { for: 'key-file' }, 'or a file with it'),
    file,
    fault,
    element('button', {}, 'Decrypt'),
  );
}

/** The 32 bytes of a file, or its text. */
async function readKey(file: File): Promise<Uint8Array | string> {
  if (file.size > LARGEST) throw new TypeError('this file is too large for a key');
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes.byteLength === 32 ? bytes : new TextDecoder().decode(bytes).trim();
}

function whyNot(error: unknown): string {
  if (error instanceof Refusal || !(error instanceof Error)) return String(error);
  if (error instanceof WrongKeyError) return 'This key does not belong to the workspace.';
  const text = error.message;
  return `Not opened: ${text}${text.endsWith('.') ? '' : '.'}`;
}
