import { createInterface } from 'node:readline/promises';

/** Where a person can be asked: both must be terminals. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** What a person answers, without blanks around it, and '' where they end the input; undefined if nobody can be asked. */
export async function askPerson(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined;
  const terminal = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  return answer.trim();
}
