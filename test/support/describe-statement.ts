import type { ClientBase, Connection, Submittable } from 'pg';

/** What PostgreSQL says of a statement before it is run; types and tables by their oids. */
export interface Described {
  parameters: number[];
  columns: { name: string; type: number; table: number; column: number }[];
}

interface Wire extends Connection {
  parse(message: { name: string; text: string }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
}

class Describe implements Submittable {
  readonly described: Described = { parameters: [], columns: [] };
  readonly #text: string;
  readonly #done: (error: Error | null) => void;

  constructor(text: string, done: (error: Error | null) => void) {
    this.#text = text;
    this.#done = done;
  }

  submit(connection: Connection): void {
    const wire = connection as Wire;
    wire.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      this.described.parameters = dataTypeIDs;
    });
    wire.parse({ name: '', text: this.#text });
    wire.describe({ type: 'S', name: '' });
    wire.sync();
  }

  handleRowDescription({
    fields,
  }: {
    fields: { name: string; dataTypeID: number; tableID: number; columnID: number }[];
  }): void {
    this.described.columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      type: dataTypeID,
      table: tableID,
      column: columnID,
    }));
  }

  handleReadyForQuery(): void {
    this.#done(null);
  }

  handleError(error: Error): void {
    this.#done(error);
  }
}

/** Has PostgreSQL parse a statement and tell the types of its parameters and columns. */
export function describeStatement(client: ClientBase, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    const query = new Describe(text, (error) => (error ? reject(error) : resolve(query.described)));
    client.query(query);
  });
}
