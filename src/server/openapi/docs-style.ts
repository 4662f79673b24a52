/** The style of the documentation page: one column on a phone, the system's colours, contrast of at least 4.5 to 1. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #c9ced6; --soft: #f3f5f8; --muted: #4d5665; --link: #0b57d0; --warn: #8a3a00; }
@media (prefers-color-scheme: dark) { :root { --line: #434b57; --soft: #1d2229; --muted: #b3bcc9; --link: #8ab4f8; --warn: #ffb27a; } body { background: #14171c; color: #e8ebef; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
h1, h2, h3 { line-height: 1.2; } h2 { margin: 2.5rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem .8rem; overflow-wrap: anywhere; border-radius: .5rem; }
details[open] > summary { background: var(--soft); }
details > div { padding: 0 .8rem .8rem; }
.method { display: inline-block; min-width: 4.2em; font: 700 .85rem/1.5 ui-monospace, monospace; }
.summary { display: block; color: var(--muted); } .muted { color: var(--muted); } .warn { color: var(--warn); font-weight: 600; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere; }
pre { background: var(--soft); border-radius: .5rem; padding: .75rem; margin: .5rem 0; white-space: pre-wrap; }
dl { margin: 0; } dt { margin-top: .75rem; overflow-wrap: anywhere; } dd { margin: 0; white-space: pre-line; }
@media (min-width: 48rem) {
  dl { display: grid; grid-template-columns: minmax(12rem, 18rem) 1fr; gap: .5rem 1.25rem; } dt { margin: 0; } dd { min-width: 0; }
  .summary { display: inline; margin-left: .75rem; }
}
`;
