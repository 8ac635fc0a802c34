import { connect, createServer, type Socket } from "node:net";

/** A wire between a program and a server that can be cut, slowed down and forgotten. */
export type TcpProxy = {
  readonly port: number;
  /** Milliseconds that everything takes longer, each way. */
  delayMs: number;
  /** Connections at this moment. */
  count(): number;
  /** Resets every connection. */
  cut(): void;
  /** Ends one half of every connection: that side hears that the other has nothing more to say, and may go on speaking. */
  halfClose(hears: "client" | "server"): void;
  /** Every connection takes what it is given and passes nothing on, until it is cut after `ms`. */
  freeze(ms: number): void;
  close(): Promise<void>;
};

type Pair = { readonly client: Socket; readonly server: Socket; frozen: boolean };

/** @param target the port that a new connection goes to; null: nobody is there. */
export async function startTcpProxy(target: () => number | null): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const port = target();
    if (port === null) {
      client.on("error", () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server, frozen: false };
    pairs.add(pair);
    pipe(client, server, pair);
    pipe(server, client, pair);
  });

  function pipe(from: Socket, to: Socket, pair: Pair): void {
    // One queue: timers of their own would overtake each other where the delay changes.
    const waiting: { readonly due: number; readonly work: () => void }[] = [];
    const pass = () => {
      for (let next = waiting[0]; next; next = waiting[0]) {
        const left = next.due - performance.now();
        if (left > 0) {
          setTimeout(pass, left);
          return;
        }
        waiting.shift();
        next.work();
      }
    };
    const later = (work: () => void) => {
      waiting.push({ due: performance.now() + proxy.delayMs, work });
      if (waiting.length === 1) pass();
    };
    from.on("data", (chunk: Buffer) =>
      later(() => {
        if (!pair.frozen && to.writable) to.write(chunk);
      }),
    );
    from.on("end", () =>
      later(() => {
        if (!pair.frozen) to.end();
      }),
    );
    from.on("error", () => {
      if (!pair.frozen) reset(to);
    });
    from.on("close", () => {
      pairs.delete(pair);
      later(() => {
        if (!pair.frozen) to.destroy();
      });
    });
  }

  const cutPair = ({ client, server }: Pair) => {
    reset(client);
    reset(server);
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const proxy: TcpProxy = {
    port: (listener.address() as { port: number }).port,
    delayMs: 0,
    count: () => pairs.size,
    cut() {
      for (const pair of pairs) cutPair(pair);
    },
    halfClose(hears) {
      for (const pair of pairs) pair[hears].end();
    },
    freeze(ms) {
      const frozen = [...pairs];
      for (const pair of frozen) pair.frozen = true;
      setTimeout(() => {
        for (const pair of frozen) cutPair(pair);
      }, ms).unref();
    },
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const pair of pairs) cutPair(pair);
      await closed;
    },
  };
  return proxy;
}

/**
 * Node 24 forgets a socket that is reset while its end is still being sent: the system's one stays open, and the process
 * that should end turns in a circle for ever.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
