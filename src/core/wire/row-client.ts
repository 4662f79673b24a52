import type { Duplex } from 'node:stream';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import type { Cell } from './types.ts';
import { decodeCells } from './wire-row.ts';

/**
 * A PostgreSQL message with a row: its place in what was read from the connection, valid until the next read. Ordinary
 * queries of `pg` read `fields`, a TextQuery reads the bytes.
 */
export class RowMessage {
  readonly name = 'dataRow';
  readonly bytes: Buffer;
  readonly start: number;
  readonly size: number;

  constructor(bytes: Buffer, start: number, size: number) {
    this.bytes = bytes;
    this.start = start;
    this.size = size;
  }

  get fields(): Cell[] {
    return decodeCells(this.bytes, this.start);
  }
}

const DATA_ROW = 0x44;
const LENGTH_BYTES = 4;

/** Members that the types of `pg-protocol` and `pg` leave out. */
interface Packets {
  parse(bytes: Buffer, take: (message: { name: string }) => void): void;
  handlePacket(start: number, code: number, length: number, bytes: Buffer): { name: string };
}
interface Wire {
  attachListeners(stream: Duplex): void;
  emit(name: string, message: object): boolean;
}

const AnyParser = Parser as unknown as new () => Packets;

class RowParser extends AnyParser {
  override handlePacket(
    start: number,
    code: number,
    length: number,
    bytes: Buffer,
  ): { name: string } {
    return code === DATA_ROW
      ? new RowMessage(bytes, start, length - LENGTH_BYTES)
      : super.handlePacket(start, code, length, bytes);
  }
}

/** A client of `pg` that creates no strings of rows until they are needed: see WireRow. */
export class RowClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Wire };
    connection.attachListeners = (stream) => {
      const parser = new RowParser();
      const take = (message: { name: string }): void =>
        void connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      stream.on('data', (bytes: Buffer) => parser.parse(bytes, take));
    };
  }
}
