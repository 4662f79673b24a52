import { hash } from 'node:crypto';
import { type Html, html } from '../http/html.ts';

/** The source of an inline script or style in a content security policy. */
export function hashOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** Headers of every page for people, with its content security policy, beyond those of every reply. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** The text of a page for people. The empty icon keeps browsers from asking for one. */
export function pageText(head: Html, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`.text;
}
