import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** A page in Chromium, with the keys and the eyes of a person. */
export interface BrowserTab {
  /** Size in CSS pixels and colours of the reader's system. */
  show(as: { width: number; height: number; scheme: 'light' | 'dark' }): Promise<void>;
  open(url: string): Promise<void>;
  press(key: keyof typeof keys, held?: 'Shift' | 'Alt' | 'Control'): Promise<void>;
  /** Presses the mouse at one place of the window, moves it to another and lets go; in CSS pixels. */
  drag(from: readonly [number, number], to: readonly [number, number]): Promise<void>;
  type(text: string): Promise<void>;
  /** The value of an expression in the page. */
  read<Value>(expression: string): Promise<Value>;
  /** Waits until an expression holds in the page, over navigations too. */
  until(expression: string): Promise<void>;
  /** Presses Tab until the focus is on what the selector finds. */
  tabTo(selector: string): Promise<void>;
  /** The folder of what it downloads. */
  downloads: string;
  /** PNG of the whole page. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

const keys = {
  ...{ Tab: 9, Enter: 13, Escape: 27, Space: 32 },
  ...{ s: 83, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 },
};
const texts: Partial<Record<keyof typeof keys, string>> = { Enter: '\r', Space: ' ' };

/** Starts a headless Chromium with one tab, driven through a pipe by its DevTools protocol. */
export async function openTab(browser: string): Promise<BrowserTab> {
  const profile = await mkdtemp(join(tmpdir(), 'trivium-tab-'));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--hide-scrollbars',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(browser, [...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<
    number,
    { resolve: (result: any) => void; reject: (error: Error) => void }
  >();
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (text + chunk).split('\0');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message);
      if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result);
      waiting.delete(id);
    }
  });
  const gone = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'));
  });
  input.on('error', () => undefined);
  let calls = 0;
  const session: { sessionId?: string } = {};
  const call = (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve, reject) => {
      waiting.set(++calls, { resolve, reject });
      input.write(`${JSON.stringify({ id: calls, method, params, ...session })}\0`);
    });
  const downloads = join(profile, 'downloads');
  await call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  session.sessionId = (await call('Target.attachToTarget', { targetId, flatten: true })).sessionId;

  const read: BrowserTab['read'] = async (expression) => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails)
      throw new Error(
        `${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
      );
    return result.value;
  };
  const until: BrowserTab['until'] = async (expression) => {
    for (const end = Date.now() + 60_000; ;) {
      // While a page gives way to the next one, there is none to ask.
      if (await read(expression).catch(() => false)) return;
      if (Date.now() > end) throw new Error(`never: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const press: BrowserTab['press'] = async (key, held) => {
    const modifiers = held === undefined ? 0 : { Alt: 1, Control: 2, Shift: 8 }[held];
    const written = texts[key];
    const event = {
      key: key === 'Space' ? ' ' : key,
      code: key,
      windowsVirtualKeyCode: keys[key],
      modifiers,
    };
    await call('Input.dispatchKeyEvent', {
      type: 'keyDown',
      ...event,
      ...(written !== undefined && { text: written }),
    });
    await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  };
  return {
    downloads,
    read,
    until,
    press,
    async drag([x1, y1], [x2, y2]) {
      const mouse = { button: 'left', clickCount: 1 };
      await call('Input.dispatchMouseEvent', { type: 'mousePressed', x: x1, y: y1, ...mouse });
      for (const share of [0.5, 1])
        await call('Input.dispatchMouseEvent', {
          type: 'mouseMoved',
          x: x1 + (x2 - x1) * share,
          y: y1 + (y2 - y1) * share,
          ...{ button: 'left', buttons: 1 },
        });
      await call('Input.dispatchMouseEvent', { type: 'mouseReleased', x: x2, y: y2, ...mouse });
    },
    async show({ width, height, scheme }) {
      await call('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: width < 600,
      });
      await call('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
    },
    async open(url) {
      const { errorText } = await call('Page.navigate', { url });
      if (errorText) throw new Error(`${url}: ${errorText}`);
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    },
    async type(typed) {
      await call('Input.insertText', { text: typed });
    },
    async tabTo(selector) {
      for (let presses = 0; presses < 100; presses++) {
        await press('Tab');
        if (await read(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`))
          return;
      }
      throw new Error(`Tab does not lead to ${selector}`);
    },
    async picture() {
      const { data } = await call('Page.captureScreenshot', { captureBeyondViewport: true });
      return Buffer.from(data, 'base64');
    },
    async close() {
      child.kill();
      await gone;
      await rm(profile, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
