import type { Signal } from '../signal.ts';
import type { Cell, Param, Row, Statements } from '../wire/wire.ts';
import type { ParamsOf, RowOf, SqlType, Types } from './types.ts';

/**
 * A statement of a `*.sql.ts` file, whose columns depend on its arguments: who has those reads the cells of its rows.
 * test/core/statements.test.ts prepares each against the migrated database and compares the types that PostgreSQL tells
 * with those declared.
 */
export class CellStatement<Args> {
  /** The columns, in their order: by name, or by their SQL if they have none of ours. */
  readonly columns: (args: Args) => Types;
  /** Arguments for that test, one for each variant of the text; where they are many, the test has them itself. */
  readonly samples: readonly Args[];
  /** The text for arguments, and what it is sent with. */
  readonly build: (args: Args) => Built;

  constructor(
    columns: (args: Args) => Types,
    samples: readonly Args[],
    build: (args: Args) => Built,
  ) {
    this.columns = columns;
    this.samples = samples;
    this.build = build;
  }

  /**
   * Runs what only reads, is asked for often and answered quickly: see Statements.read. The rows are bytes until they
   * are decoded.
   */
  read(db: Pick<Statements, 'read'>, args: Args, signal?: Signal): Promise<Row[]> {
    const { text, values } = this.build(args);
    return db.read(text, values, signal);
  }
}

/** A statement whose columns are always the same, and so are read by their names. */
export class Statement<Args, R extends Types> extends CellStatement<Args> {
  readonly row: R;
  readonly decode: (cells: readonly Cell[]) => RowOf<R>;
  /** Where the cell of a column is, for who reads a few of them. */
  readonly places: Readonly<Record<keyof R, number>>;

  constructor(row: R, samples: readonly Args[], build: (args: Args) => Built) {
    super(() => row, samples, build);
    this.row = row;
    this.decode = decoderOf(row);
    // Every name is there.
    this.places = Object.fromEntries(Object.keys(row).map((name, at) => [name, at])) as Record<
      keyof R,
      number
    >;
  }

  /** Runs it. */
  async rows(db: Pick<Statements, 'rows'>, args: Args, signal?: Signal): Promise<RowOf<R>[]> {
    const { text, values } = this.build(args);
    return (await db.rows(text, values, signal)).map(this.decode);
  }

  /** The rows of one that only reads, is asked for often and answered quickly: see Statements.read. */
  async quickRows(db: Pick<Statements, 'read'>, args: Args): Promise<RowOf<R>[]> {
    return (await this.read(db, args)).map(({ cells }) => this.decode(cells));
  }

  /** Runs it and returns its first row, for those that have one at most. */
  async first(db: Pick<Statements, 'rows'>, args: Args): Promise<RowOf<R> | undefined> {
    return (await this.rows(db, args))[0];
  }
}

interface Built {
  text: string;
  values: readonly Param[];
  /** Of the parameters, in their order. */
  types: readonly SqlType<unknown>[];
}

/**
 * Declares a statement whose text is always the same. Parameters are named in it (`$login`); the columns of `row` are
 * in the order of the select list, and have the names of its columns in
 * camelCase.
 */
export function statement<const P extends Types, const R extends Types>({
  text,
  params,
  row,
}: {
  text: string;
  params: P;
  row: R;
}): Statement<ParamsOf<P>, R> {
  const names = Object.keys(params);
  const types = Object.values(params);
  const numbered = text.replace(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) throw new Error(`no parameter $${name} is declared`);
    return `$${names.indexOf(name) + 1}`;
  });
  return new Statement<ParamsOf<P>, R>(row, [NO_VALUES as ParamsOf<P>], (args) => ({
    text: numbered,
    values: names.map((name) => args[name] ?? null),
    types,
  }));
}

/** For the test, which prepares texts and runs none. */
const NO_VALUES: object = {};

/** Collects the parameters of a statement whose text depends on its arguments: `add` returns the placeholder. */
export class TypedParams {
  readonly values: Param[] = [];
  readonly types: SqlType<unknown>[] = [];

  add<In extends Param>(type: SqlType<unknown, In>, value: NoInfer<In> | null): string {
    this.types.push(type);
    return `$${this.values.push(value)}`;
  }
}

/**
 * A parameter whose value PostgreSQL does not see when it plans, also behind a pooler whose role lacks the settings of
 * session-settings.ts. There it would plan a statement anew for each value of an array, because it takes arrays of unknown
 * length for longer than ours are; of a few rows, planning takes longer than reading.
 */
export function unseen(parameter: string): string {
  return `(SELECT ${parameter})`;
}

type TextFor<Args> = (args: Args, params: TypedParams) => string;

/** Declares a statement whose text depends on its arguments, with arguments for each of its variants. */
export function statementFor<Args, const R extends Types>({
  text,
  row,
  samples = [],
}: {
  text: TextFor<Args>;
  row: R;
  samples?: readonly Args[];
}): Statement<Args, R> {
  return new Statement(row, samples, builderOf(text));
}

/** Declares one whose columns depend on its arguments, too; the test of statements has the arguments. */
export function cellStatementFor<Args>({
  text,
  columns,
}: {
  text: TextFor<Args>;
  columns: (args: Args) => Types;
}): CellStatement<Args> {
  return new CellStatement(columns, [], builderOf(text));
}

function builderOf<Args>(text: TextFor<Args>): (args: Args) => Built {
  return (args) => {
    const params = new TypedParams();
    return { text: text(args, params), values: params.values, types: params.types };
  };
}

/** Reads rows of text cells by the names and types of their columns. */
export function decoderOf<R extends Types>(row: R): (cells: readonly Cell[]) => RowOf<R> {
  const columns = Object.entries(row).map(([name, { read }]) => ({ name, read }));
  return (cells) => {
    const decoded: Record<string, unknown> = {};
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      const cell = cells[place];
      if (column) decoded[column.name] = cell == null ? null : column.read(cell);
    }
    // Each column was read as its type says.
    return decoded as RowOf<R>;
  };
}
