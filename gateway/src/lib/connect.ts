import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import * as undici from "./undici.ts";

/** The beginning of an informational answer's first line. */
const INFORMATIONAL = "HTTP/1.1 1";
/** The informational answer that ends the exchange of HTTP. No call requests it, and undici fails it. */
const SWITCHING = "HTTP/1.1 101";
const HEAD_END = "\r\n\r\n";
/**
 * Most bytes of an incomplete head that are kept. A longer head is passed to undici, which refuses it by the same limit.
 */
const LARGEST_HEAD = 16_384;
const NOTHING = Buffer.alloc(0);

/**
 * Connects for HTTP/1.1 like undici, and drops the informational answers (1xx) that come before an answer.
 *
 * undici 8.12.4 ends the connection at a `100 Continue` that it did not request, with either of its parsers and any options
 * (`SocketError: bad response`). The request has arrived by then: a delivery would fail although it was received, and a
 * bank's call would have an unknown outcome. RFC 9110, 15.2, requires a client to continue, and some servers (IIS, proxies
 * in front of others) send one unrequested.
 */
export function createConnector(options: Partial<buildConnector.BuildOptions>): buildConnector.connector {
  // A pool does not pass its own `allowH2` to a connector that it is given.
  const connect = undici.buildConnector({ ...options, allowH2: false } as buildConnector.BuildOptions);
  return (to, callback) =>
    connect(to, (...connected) => {
      if (connected[0] === null) dropInformational(connected[1]);
      callback(...connected);
    });
}

/** undici reads a connection only by `read()`, and only bytes after a request can be the head of an answer. */
function dropInformational(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let incomplete: Buffer = NOTHING;
  /** Bytes written when the last answer's head came. While no more were written, incoming bytes are its body. */
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

/** The bytes after the complete informational answers. */
function afterInformational(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = isInformational(rest) ? rest.indexOf(HEAD_END) : -1;
    if (end === -1) return rest;
    rest = rest.subarray(end + HEAD_END.length);
  }
}

/** Whether bytes begin an informational answer, as far as they go. */
function isInformational(bytes: Buffer): boolean {
  const begin = bytes.toString("latin1", 0, SWITCHING.length);
  return begin !== SWITCHING && INFORMATIONAL.startsWith(begin.slice(0, INFORMATIONAL.length));
}
