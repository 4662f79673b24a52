import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../core/package-root.ts';
import { LISTS_AS_NDJSON, table, type Output } from './support/output.ts';

const source = join(packageRoot, 'src');

/** `trivium routes`: shows which file serves which path. */
export function routesCommand(output: Output): Command {
  return new Command('routes')
    .description('list method, path, operation and file of every REST route')
    .addHelpText('after', `\nExample:\n  trivium routes | grep feeds${LISTS_AS_NDJSON}`)
    .action(async () => {
      // Imported late: it loads the whole gateway, which is too much for the other commands.
      const { routes } = await import('../server/routes/routes.ts');
      const fileOf = findFiles();
      const rows = routes.map(({ method, path, operation }) => ({
        method,
        path,
        operation,
        file: fileOf(path),
      }));
      output.list(rows, table(rows.map((row) => Object.values(row))));
    });
}

/** Finds the file of a path by its literal, which is written in exactly one `rest.ts`. An installed package has no sources. */
function findFiles(): (path: string) => string {
  const names = existsSync(source)
    ? readdirSync(source, { recursive: true, encoding: 'utf8' })
    : [];
  const files = names.filter((file) => /(^|[/\\])rest\.ts$/.test(file));
  const texts = files.map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }));
  return (path) => texts.find(({ text }) => text.includes(`'${path}'`))?.file ?? '';
}
