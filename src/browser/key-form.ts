import { element } from './page/element.ts';
import { Refusal } from './page/ask.ts';
import type { WorkspaceRow } from './page/documents.ts';
import { open } from './pictures.ts';

/** Files of keys are this small. */
const LARGEST = 1_000;

/** Asks for the key of an encrypted workspace: typed, or from a file. The key stays in the memory of this page. */
export function keyForm(workspace: WorkspaceRow, done: () => void): HTMLFormElement {
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
  if (error.name === 'WrongKeyError') return 'This key does not belong to the workspace.';
  const text = error.message;
  return `Not opened: ${text}${text.endsWith('.') ? '' : '.'}`;
}
