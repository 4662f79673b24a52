import { askPerson } from '../support/ask-person.ts';
import { UsageError } from '../support/usage-error.ts';

/** Asks for the name of what is to be deleted; throws UsageError where another one is given, or nobody can be asked. */
export async function confirmName(name: string): Promise<void> {
  const answer = await askPerson(
    `This deletes all of "${name}" for good. Type its name to go on: `,
  );
  if (answer === undefined)
    throw new UsageError(`this deletes all of "${name}" for good: add --yes`);
  if (answer !== name) throw new UsageError('nothing was deleted');
}
