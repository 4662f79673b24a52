/** A number with the word for what it counts, such as `1 image` or `2 images`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
