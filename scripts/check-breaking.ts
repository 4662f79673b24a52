import { readFileSync, writeFileSync } from 'node:fs';
import { readMigrationFiles, releaseOf } from './unsafe-forms.ts';
import { breakingChanges, type AllowedChanges } from './breaking-changes.ts';

// Compares schema.graphql with that of the last release; with --release makes it that of the last release, and
// records which migrations that has.
// usage: node --import tsx scripts/check-breaking.ts [--release]
const current = readFileSync('schema.graphql', 'utf8');
if (process.argv.includes('--release')) {
  writeFileSync('schema.released.graphql', current);
  writeFileSync('schema.breaking.json', '{}\n');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const release = releaseOf(version, readMigrationFiles());
  writeFileSync('prisma/migrations/release.json', `${JSON.stringify(release, null, 2)}\n`);
} else {
  const allowed = JSON.parse(readFileSync('schema.breaking.json', 'utf8')) as AllowedChanges;
  const changes = breakingChanges(
    readFileSync('schema.released.graphql', 'utf8'),
    current,
    allowed,
  );
  if (changes.length > 0) {
    console.error(
      [
        'schema.graphql breaks clients of the last release (CONTRIBUTING.md, "A breaking change"):',
        ...changes,
      ].join('\n  '),
    );
    process.exitCode = 1;
  } else console.log('schema.graphql breaks nothing of the last release');
}
