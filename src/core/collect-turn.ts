/** Collects what is asked for in one turn of the event loop, and hands it over together: `collect` returns what is called for each. */
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
