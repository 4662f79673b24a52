/** A path without its last folder of this name, in any case: labels are beside the images, in a folder of their own. */
export function withoutFolder(path: string, name: string): string {
  const [file = '', ...folders] = path.split('/').reverse();
  const at = folders.findIndex((folder) => folder.toLowerCase() === name);
  return [file, ...folders.filter((_, index) => index !== at)].reverse().join('/');
}
