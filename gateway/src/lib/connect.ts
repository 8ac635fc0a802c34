import type { Socket } from "node:net";
import { buildConnector } from "undici";

/** How the first line of an informational answer begins. */
const INFORMATIONAL = "HTTP/1.1 1";
/** The one that ends the exchange of HTTP. Nobody asks for it here, and undici fails it. */
const SWITCHING = "HTTP/1.1 101";
const HEAD_END = "\r\n\r\n";
/** Most bytes of an incomplete head that are kept; undici, which gets what is longer, refuses it by the same limit. */
const LARGEST_HEAD = 16_384;
const NOTHING = Buffer.alloc(0);

/**
 * Connects for HTTP/1.1 as undici does, and drops the informational answers (1xx) that come before an answer.
 *
 * undici 8.12.4 ends the connection at a `100 Continue` that it did not ask for, by either of its parsers and whatever its options
 * (`SocketError: bad response`). By then the request has arrived: a delivery would fail though it was taken, and a bank's call have
 * an unknown outcome. RFC 9110, 15.2, has a client go on, and some servers (IIS, proxies in front of others) send one unasked.
 */
export function createConnector(options: Partial<buildConnector.BuildOptions>): buildConnector.connector {
  // A pool does not hand its own `allowH2` to a connector that it is given.
  const connect = buildConnector({ ...options, allowH2: false } as buildConnector.BuildOptions);
  return (to, callback) =>
    connect(to, (...connected) => {
      if (connected[0] === null) dropInformational(connected[1]);
      callback(...connected);
    });
}

/** undici reads a connection by `read()` alone; only what follows a request can be the head of an answer. */
function dropInformational(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let incomplete: Buffer = NOTHING;
  /** Bytes that were written when the last answer's head came: while there are no more, what comes is its body. */
  let writtenAtHead = socket.bytesWritten;
  socket.read = (size?: number): Buffer | null => {
    const bytes = read(size);
    if (bytes === null || socket.bytesWritten === writtenAtHead) return bytes;
    const rest = afterInformational(incomplete.length === 0 ? bytes : Buffer.concat([incomplete, bytes]));
    if (isInformational(rest) && rest.length <= LARGEST_HEAD) {
      incomplete = rest;
      return null;
    }
    incomplete = NOTHING;
    writtenAtHead = socket.bytesWritten;
    return rest;
  };
}

/** What follows the informational answers that are complete. */
function afterInformational(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = isInformational(rest) ? rest.indexOf(HEAD_END) : -1;
    if (end === -1) return rest;
    rest = rest.subarray(end + HEAD_END.length);
  }
}

/** Whether bytes begin an informational answer, as far as they show it. */
function isInformational(bytes: Buffer): boolean {
  const begin = bytes.toString("latin1", 0, SWITCHING.length);
  return begin !== SWITCHING && INFORMATIONAL.startsWith(begin.slice(0, INFORMATIONAL.length));
}
