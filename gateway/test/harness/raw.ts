import { connect } from "node:net";

/** What came back over a socket of our own: every answer's status, and the whole text. */
type RawAnswer = { readonly statuses: number[]; readonly text: string };

/** Sends bytes as they are and reads until the server closes, or for `patience` milliseconds after the first answer. */
export function sendRaw(url: string, bytes: string, patience = 1_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    socket.setEncoding("latin1");
    let timer: NodeJS.Timeout | undefined;
    socket.on("data", (chunk: string) => {
      text += chunk;
      timer ??= setTimeout(() => socket.destroy(), patience);
    });
    // A reset is an end too.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)), text });
    });
  });
}
