/** Does work for a press, and nothing for those that come before it has ended, such as the second one of a double click. */
export function once<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result | undefined> {
  let isUnderWay = false;
  return async (...args) => {
    if (isUnderWay) return undefined;
    isUnderWay = true;
    try {
      return await work(...args);
    } finally {
      isUnderWay = false;
    }
  };
}
