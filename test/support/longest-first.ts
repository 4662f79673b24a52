import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, which begin first: else one worker ends a minute after the other. */
const LONGEST = [
  'server/process',
  'cells/move-domain',
  'dataset-management/walk-through',
  'server/access-matrix',
  'server/pages/graphiql',
  'cli/exit-codes',
  'server/odd-values',
];

/** Files by how long they take, as far as it is known. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return [...sorted].sort((a, b) => place(a) - place(b));
  }
}
