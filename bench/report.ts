import type { Measured } from './run-rounds.ts';

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...rows.map(line),
  ].join('\n');
}

/** Requests per second, ratio to the floor, CPU and latency of every contender, by page size. */
export function pagesTable(measured: readonly Measured[]): string {
  const sizes = [...new Set(measured.map(({ size }) => size))];
  const contenders = [...new Set(measured.map(({ contender }) => contender))];
  const rows = contenders.map((contender) => [
    contender.label,
    ...sizes.map((size) => {
      const found = measured.find((item) => item.contender === contender && item.size === size);
      if (!found) return '';
      const { ratio, perSecond, cpuMs, p50, p99 } = found;
      return `${ratio === undefined ? '' : `**${ratio.toFixed(2)}** · `}${Math.round(perSecond)}/s · ${cpuMs?.toFixed(2) ?? '–'} ms · ${p50.toFixed(1)}/${p99.toFixed(1)} ms`;
    }),
  ]);
  return table(
    [
      'ratio to the floor · requests/s · Node CPU per request · p50/p99',
      ...sizes.map((size) => `page ${size}`),
    ],
    rows,
  );
}

/** The ratios, by contender and page size; of Mercurius the better variant. */
export function ratios(measured: readonly Measured[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of ['rest', 'graphql', 'postgraphile', 'mercurius'] as const) {
    for (const size of [...new Set(measured.map((item) => item.size))]) {
      const all = measured
        .filter((item) => item.size === size && item.contender.name.startsWith(name))
        .flatMap(({ ratio }) => ratio ?? []);
      if (all.length > 0) found[`${name}${size}`] = Math.round(Math.max(...all) * 100) / 100;
    }
  }
  return found;
}
