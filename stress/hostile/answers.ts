import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

const OK = "HTTP/1.1 200 OK\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** The answers of a hostile receiver, as raw bytes. */
const ANSWERS: readonly ((socket: Socket, n: number) => void)[] = [
  (s) => s.end("nonsense\r\n\r\n"),
  (s) => s.end(""),
  (s) => s.destroy(),
  (s) => s.resetAndDestroy(),
  (s) => s.end(`${OK}content-length: 100\r\n\r\nshort`),
  (s) => s.end(`${OK}content-length: 2\r\n\r\nmuch longer than it says`),
  (s) => s.end(`${OK}content-length: -1\r\n\r\n`),
  (s) => s.end(`${OK}content-length: 99999999999999999999\r\n\r\nx`),
  (s) => s.end(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nok!`),
  (s) => s.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\nx\r\n`),
  (s) => s.end(`${OK}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n${chunk("hello")}0\r\n\r\n`),
  (s) => s.end(`${OK}transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx`),
  (s) => s.end(`${OK}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain`),
  (s) => s.end(`${OK}${"x-a: b\r\n".repeat(5_000)}\r\n`),
  (s) => s.end(`${OK}x-a: ${"b".repeat(100_000)}\r\n\r\n`),
  (s) => s.end(`${OK}x-a: b\0c\r\ncontent-length: 0\r\n\r\n`),
  (s) => s.end(`${OK} folded: x\r\n\r\n`),
  (s) => s.end(`${"HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000)}${OK}content-length: 0\r\n\r\n`),
  (s) => s.end(`${OK}content-length: 0\r\n\r\n${OK}content-length: 0\r\n\r\n`.repeat(50)),
  (s) => s.end("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 200\r\n\r\n"),
  (s) => s.end("HTTP/9.9 200 OK\r\n\r\n"),
  (s) => s.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n\x81\x01x"),
  (s) => s.end("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"),
  (s) => s.end("HTTP/1.1 304 Not Modified\r\n\r\n"),
  (s) => s.end("HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest/meta-data/\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 307 Temporary Redirect\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic realm=x\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 429 Too Many\r\nretry-after: -1\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end("HTTP/1.1 503 Busy\r\nretry-after: 99999999999\r\ncontent-length: 0\r\n\r\n"),
  (s) => s.end(`HTTP/1.1 500 No\r\ncontent-type: text/html\r\n\r\n${"\0\x1b[2J\ud800é".repeat(2_000)}`),
  (s) => s.end(`${OK}set-cookie: ${"a=b; ".repeat(500)}\r\ncontent-length: 2\r\n\r\nok`),
  (s) => s.end(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])),
  (s) => s.end(`${OK}\r\n${"x".repeat(2_000_000)}`),
  // An endless body, as fast as it is read.
  (s) => {
    s.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
    const more = () => {
      while (!s.destroyed && s.write(chunk("y".repeat(16_000))));
    };
    s.on("drain", more);
    more();
  },
  // A body that drips, and no answer at all: rare, since each lasts the ten seconds of an attempt.
  (s, n) => {
    if (n % 20 !== 0) return s.end();
    s.write(`${OK}content-length: 1000\r\n\r\n`);
    const timer = setInterval(() => s.write("z"), 100);
    s.once("close", () => clearInterval(timer));
  },
  (s, n) => {
    if (n % 20 !== 0) s.end();
  },
];

type HostileReceivers = { readonly urls: string[]; answered(): number; close(): void };

/** Starts receivers that answer each delivery with the next answer of the list. */
export async function startHostileReceivers(count: number): Promise<HostileReceivers> {
  const sockets = new Set<Socket>();
  let answered = 0;
  const servers: Server[] = [];
  const urls: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => {});
      socket.once("data", () => {
        answered += 1;
        ANSWERS[answered % ANSWERS.length]!(socket, Math.floor(answered / ANSWERS.length));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }
  return {
    urls,
    answered: () => answered,
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
