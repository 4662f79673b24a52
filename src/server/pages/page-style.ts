/** The style of our own pages: one column on a phone, more on wide screens; light or dark as the system. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #8c959f; --panel: #f6f8fa; --accent: #0a5bc4; --on-accent: #fff; --bad: #b3261e; --bad-panel: #fdeceb; --good-panel: #e7f3ea; --warn-panel: #fff4d6; }
@media (prefers-color-scheme: dark) { :root { --ground: #11161c; --text: #e6edf3; --quiet: #9da7b3; --line: #6e7681; --panel: #1a2129; --accent: #79b8ff; --on-accent: #08192c; --bad: #ffb4ab; --bad-panel: #3b1a18; --good-panel: #16301f; --warn-panel: #3a2f10; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main, header { max-width: 75rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.25rem; } main { padding-bottom: 3rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 0 0 .25rem; } h2 code { font-size: 1em; }
p { margin: .25rem 0 .75rem; max-width: 65ch; } .hint { color: var(--quiet); font-size: .9rem; margin-top: .4rem; } button + .hint, .button + .hint { margin-top: .9rem; }
a { color: var(--accent); } label { display: block; font-weight: 600; margin-top: .75rem; }
textarea, input, select { width: 100%; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .55rem .65rem; }
textarea, pre, code, input { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9rem; }
select { width: auto; min-height: 2.75rem; } textarea { resize: vertical; }
button, .button { display: inline-block; font: inherit; font-weight: 600; min-height: 2.75rem; padding: .55rem 1.1rem; margin: .75rem .5rem 0 0; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--on-accent); text-decoration: none; cursor: pointer; }
.button, button.quiet { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; padding: .6rem 0; margin-top: .25rem; } summary:focus-visible { outline-offset: 0; }
pre { margin: 0; padding: .75rem; overflow: auto; max-height: 32rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; tab-size: 2; }
.error, .result { padding: .75rem 1rem; border-radius: 6px; margin-top: 1.25rem; background: var(--good-panel); overflow-wrap: anywhere; } .error { background: var(--bad-panel); } .error h2, .result h2 { margin: 0 0 .25rem; } .result p { margin-bottom: 0; max-width: none; } .result.write { background: var(--warn-panel); }
.pair { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); } .pair > * { min-width: 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { white-space: nowrap; } #answers { margin-top: 1.25rem; } ul { padding-left: 1.25rem; margin: .25rem 0; } li { margin: .25rem 0; max-width: 70ch; overflow-wrap: anywhere; } .examples { list-style: none; padding: 0; } .examples a { display: inline-block; padding: .35rem 0; }
.roads { display: grid; gap: 1rem; margin-top: 1rem; } .roads section, #session { border: 1px solid var(--line); border-radius: 6px; padding: .25rem 1rem .75rem; } .roads h2 { margin: .5rem 0 .25rem; }
#session { margin: 1rem 0; padding: 0 1rem; } #session > div { padding-bottom: 1rem; } #session summary { font-weight: 600; margin: 0; } #sign-in { max-width: 24rem; } #new-password-part p { margin: .75rem 0 0; } .fault { color: var(--bad); } .fault:empty { display: none; }
dt { font-weight: 600; margin-top: .75rem; } dt a { display: inline-block; padding: .2rem 0; } dd { margin: 0; max-width: 65ch; }
[hidden] { display: none; }
@media (min-width: 60rem) { .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } .roads { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
`;
