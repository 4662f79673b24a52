import { pageStyle } from './page-style.ts';

/** The style of the page of datasets: that of our own pages, grids of thumbnails, and what is drawn over images. */
export const datasetsStyle = `${pageStyle}
header a { display: inline-block; padding: .25rem 0; } h1:focus { outline: none; } main { overflow-wrap: anywhere; }
#said:empty, #failed:empty { display: none; } #said, #failed { position: sticky; top: 0; z-index: 2; max-width: none; padding: .5rem .75rem; border-radius: 6px; background: var(--good-panel); } #failed { background: var(--bad-panel); }
#view[aria-busy=true] { opacity: .6; }
h2 { font-size: 1.1rem; margin-top: 1.25rem; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .25rem 1rem .75rem; margin: .75rem 0; } .card h2, .card h3 { margin-top: .5rem; }
.plain { list-style: none; padding: 0; } .plain li { max-width: none; } .plain li > a { display: inline-block; padding: .2rem 0; }
.trail a, .pager a { display: inline-block; padding: .35rem 0; } .pager { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: .5rem 0; }
.row { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: end; } .row > div { min-width: 0; max-width: 100%; } .row select { max-width: 100%; } .numbers > div { flex: 1 1 8rem; }
.progress svg { display: block; width: 100%; height: .6rem; border-radius: 3px; } .progress .all { fill: light-dark(#d0d7de, #333c46); } .progress .accepted { fill: light-dark(#1a7f37, #57c878); } .progress .annotated { fill: light-dark(#0a5bc4, #79b8ff); } .progress .rejected { fill: light-dark(#b3261e, #ffb4ab); }
progress { width: 100%; max-width: 24rem; height: 1rem; accent-color: var(--accent); }
.grid { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16.875rem), 1fr)); } .grid li { margin: 0; max-width: 16.875rem; } .grid a { display: block; text-decoration: none; } .grid .name { display: block; padding: .25rem 0 0; text-decoration: underline; } .grid .hint { margin: 0; }
.picture, #stage { position: relative; display: block; overflow: hidden; background: light-dark(#e6e9ed, #242c35); border: 1px solid var(--line); } .picture { aspect-ratio: 270 / 200; } .picture img { display: block; width: 100%; height: 100%; }
.picture svg, #stage svg, #stage img { position: absolute; inset: 0; width: 100%; height: 100%; } .picture svg, #stage svg { overflow: visible; } .lost { visibility: hidden; }
#stage svg[tabindex] { cursor: crosshair; } #stage svg.fingers { touch-action: none; } #stage svg:focus-visible { outline-offset: -3px; }
.under, .over { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; } .under { stroke: #000; stroke-width: 4; stroke-opacity: .55; } .over { stroke-width: 2; } .over.mask { stroke-dasharray: 6 4; } path.under { stroke-width: 10; } path.over { stroke-width: 7; } .over.polygon { fill-opacity: .15; }
g.pointed .over { stroke-width: 4; } .over.draft { stroke: #fff; stroke-dasharray: 5 5; }
.work { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); } .swatch { flex: none; width: 1rem; height: 1rem; border: 1px solid var(--line); }
#annotations li { display: flex; gap: .5rem; align-items: center; } #annotations .what { flex: 1; min-width: 0; } #annotations button { margin: 0; } #review button { margin-top: .25rem; }
.fingers-only { display: none; } @media (pointer: coarse) { .fingers-only { display: inline-block; } }
#key-form { max-width: 40rem; } .check { display: flex; gap: .5rem; align-items: center; min-height: 2.75rem; font-weight: 400; } .check input { flex: none; width: 1.5rem; height: 1.5rem; }
@media (min-width: 60rem) { .work { grid-template-columns: minmax(0, 2fr) minmax(18rem, 1fr); align-items: start; } }
`;
