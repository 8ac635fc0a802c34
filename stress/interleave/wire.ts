import { connect, createServer, type Server, type Socket } from "node:net";

/** The server's answer to a statement. */
export type Answered = {
  readonly text: string;
  /** The command tag (`COMMIT`, `UPDATE 3`); null when the statement failed. */
  readonly tag: string | null;
  /** SQLSTATE of a failure; null otherwise. */
  readonly error: string | null;
  /** Whether a transaction is open afterwards. */
  readonly open: boolean;
};

type Options = {
  /** Port of the server. */
  readonly port: number;
  /** Removes the lock of the tenants from the lanes' statements. */
  readonly unlocked: boolean;
  readonly changed: () => void;
  readonly onAnswer: (answered: Answered) => void;
};

type Unit = { readonly text: string; readonly bytes: Buffer };

/** The statement that sets up each new connection: it is not part of a schedule. */
export const OPENING = /^select set_config\(/;
const [SYNC, SIMPLE, PARSE, BIND, TERMINATE] = [..."SQPBX"].map((letter) => letter.charCodeAt(0));
const [READY, COMPLETE, FAILED, BACKEND] = [..."ZCEK"].map((letter) => letter.charCodeAt(0));

/**
 * The wire of a process to PostgreSQL: holds back what the process sends, statement by statement, and forwards the next
 * statement at each `step`. It parses the protocol's frames and, of their contents, only the texts of statements.
 */
export class Wire {
  readonly #server: Server;
  readonly #options: Options;
  #sockets: { client: Socket; server: Socket } | null = null;
  #waiting: Unit[] = [];
  #running: Unit | null = null;
  #tag: string | null = null;
  #error: string | null = null;
  /** The next answer is dropped and the connection ended. */
  #losing = false;
  /** Process id at the server. */
  pid = 0;
  /** Whether a transaction is open. */
  open = false;
  /** Whether statements are held back; false: everything passes. */
  gated = false;

  constructor(options: Options) {
    this.#options = options;
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as { port: number }).port;
  }

  /** The text of the statement that waits for its turn. */
  get next(): string | null {
    return this.#running === null ? (this.#waiting[0]?.text ?? null) : null;
  }

  get running(): boolean {
    return this.#running !== null;
  }

  /** Forwards the next statement to the server. */
  step(options: { loseAnswer?: boolean } = {}): void {
    this.#losing = options.loseAnswer ?? false;
    this.#send(this.#waiting.shift()!);
  }

  /** Ends the connection on the client's side; the caller waits for the server to notice. */
  cut(): void {
    this.#sockets?.client.destroy();
    this.#sockets?.server.destroy();
    this.#forget();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #forget(): void {
    this.#sockets = null;
    this.#waiting = [];
    this.#running = null;
    this.open = false;
    this.#losing = false;
  }

  #send(unit: Unit): void {
    this.#running = unit;
    this.#tag = null;
    this.#error = null;
    this.#sockets!.server.write(unit.bytes);
  }

  #accept(client: Socket): void {
    const server = connect({ port: this.#options.port, host: "127.0.0.1", noDelay: true });
    const sockets = { client, server };
    this.#sockets = sockets;
    const mine = () => this.#sockets === sockets;
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        server.destroy();
        if (!mine()) return;
        this.#forget();
        this.#options.changed();
      });
    }
    const texts = new Map<string, string>();
    let [started, parts, text]: [boolean, Buffer[], string] = [false, [], ""];
    // The first message has no type, and what follows before the first `ready` is the password.
    client.on(
      "data",
      frames(
        () => (started ? 1 : 0),
        (frame) => {
          if (!started) {
            started = true;
            server.write(frame);
            return;
          }
          const type = frame[0];
          if (!mine()) return;
          if (type === TERMINATE || this.pid === 0 || !ready) {
            server.write(frame);
            return;
          }
          parts.push(frame);
          if (type === SIMPLE) text = cString(frame, 5);
          if (type === PARSE) {
            const name = cString(frame, 5);
            text = cString(frame, 6 + Buffer.byteLength(name));
            if (name !== "") texts.set(name, text);
            if (this.#options.unlocked && /^\s*select account_id from accounts/.test(text)) unlock(frame);
          }
          if (type === BIND) {
            const portal = cString(frame, 5);
            text = texts.get(cString(frame, 6 + Buffer.byteLength(portal))) ?? text;
          }
          if (type !== SIMPLE && type !== SYNC) return;
          this.#waiting.push({ text, bytes: Buffer.concat(parts) });
          parts = [];
          this.#pass();
          this.#options.changed();
        },
      ),
    );
    let ready = false;
    server.on(
      "data",
      frames(
        () => 1,
        (frame) => {
          if (!mine()) return;
          const type = frame[0];
          if (type === BACKEND) this.pid = frame.readInt32BE(5);
          if (type === COMPLETE) this.#tag = cString(frame, 5);
          if (type === FAILED) this.#error = sqlState(frame);
          if (!this.#losing) client.write(frame);
          if (type !== READY) return;
          ready = true;
          this.open = frame[5] !== "I".charCodeAt(0);
          const unit = this.#running;
          this.#running = null;
          if (unit) {
            this.#options.onAnswer({
              text: unit.text,
              tag: this.#error === null ? this.#tag : null,
              error: this.#error,
              open: this.open,
            });
          }
          if (this.#losing) this.cut();
          else this.#pass();
          this.#options.changed();
        },
      ),
    );
  }

  #pass(): void {
    const unit = this.#waiting[0];
    if (this.#running === null && unit && (!this.gated || OPENING.test(unit.text))) this.#send(this.#waiting.shift()!);
  }
}

/**
 * Splits a stream into messages of the protocol: a type (`typed()`: 1 byte or none), a length that includes itself, the
 * rest.
 */
function frames(typed: () => number, each: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = typed();
      if (rest.length < head + 4) return;
      const size = head + rest.readInt32BE(head);
      if (rest.length < size) return;
      const frame = rest.subarray(0, size);
      rest = rest.subarray(size);
      each(frame);
    }
  };
}

/** Removes the lock from a statement. Its text keeps its length, so that the frame stays valid. */
function unlock(frame: Buffer): void {
  const lock = "for no key update";
  const at = frame.indexOf(lock);
  if (at >= 0) frame.fill(" ", at, at + lock.length);
}

const cString = (frame: Buffer, from: number): string => frame.toString("utf8", from, frame.indexOf(0, from));

/** The SQLSTATE of an error frame: its field `C`. */
function sqlState(frame: Buffer): string {
  let at = 5;
  while (at < frame.length && frame[at] !== 0) {
    const value = cString(frame, at + 1);
    if (frame[at] === "C".charCodeAt(0)) return value;
    at += 2 + Buffer.byteLength(value);
  }
  return "";
}
