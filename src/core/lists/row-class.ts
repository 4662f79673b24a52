/**
 * A class for the rows of a list, by which GraphQL tells the type of a node: its objects have the fields of the row that
 * they are made of.
 */
export function rowClass<Row extends object>(): new (row: Row) => Readonly<Row> {
  class RowObject {
    constructor(row: Row) {
      Object.assign(this, row);
    }
  }
  // It has them at run time only.
  return RowObject as new (row: Row) => Readonly<Row>;
}
