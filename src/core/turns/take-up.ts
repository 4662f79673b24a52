interface Gateway {
  db: object;
  background(work: () => Promise<void>): void;
}

/**
 * Makes what a gateway does every few seconds for one kind of job: runs one in the background if there is one that nobody
 * runs, because it waits or because the gateway that ran it died. At most one of a kind waits to begin.
 */
export function takeUp<Services extends Gateway>(
  findFree: (db: Services['db']) => Promise<unknown>,
  runNext: (services: Services) => Promise<void>,
): (services: Services) => Promise<void> {
  const waiting = new WeakSet<Gateway['db']>();
  return async (services) => {
    const { db } = services;
    if (waiting.has(db) || !(await findFree(db))) return;
    waiting.add(db);
    services.background(async () => {
      waiting.delete(db);
      await runNext(services);
    });
  };
}
