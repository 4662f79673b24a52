/** In the page: texts whose contrast to what is behind them is below 4.5 (WCAG AA), and what is to be pressed and lower than 24 pixels. */
export const pageFaults = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => channels(colour).slice(0, 3).map((value) => value / 255).map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)).reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => { for (let one = element; one; one = one.parentElement) { const { backgroundColor } = getComputedStyle(one); if (channels(backgroundColor)[3] !== 0) return backgroundColor; } throw new Error('no ground'); };
  const shown = [...document.body.querySelectorAll('*')].filter((element) => element.checkVisibility() && !['SCRIPT', 'OPTION'].includes(element.tagName));
  const faint = shown.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')).filter((element) => {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
  });
  const low = shown.filter((element) => element.matches('button, .button, summary, select, textarea, input') && element.getBoundingClientRect().height < 24);
  return [...faint, ...low].map((element) => element.outerHTML.slice(0, 100));
})()`;
