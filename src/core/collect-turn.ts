/**
 * Collects the items requested in one turn of the event loop and hands them over together. `collect` returns the
 * function to call for each item.
 */
export function collectTurn<Item>(handle: (items: Item[]) => void): (item: Item) => void {
  let turn: Item[] = [];
  const end = (): void => {
    const items = turn;
    turn = [];
    handle(items);
  };
  return (item) => {
    if (turn.push(item) === 1) setImmediate(end);
  };
}
