/** Strangers who ask for the console's files of another version again and again, and read no answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { buildConsole } from "../../src/http/console/find-build.ts";
import { createKept, keepFiles } from "../../src/http/console/kept-files.ts";
import { ApiError } from "../../src/http/errors.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const FILE = "assets/old-AbCd1234.js";
const SIZE = 1_000_000;
const content = Buffer.alloc(SIZE, "export const version = 1;\n");
let gateway: TestGateway;
before(async () => {
  await buildConsole((error) => assert.fail(String(error)));
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  await keepOther({ [FILE]: content, [`${FILE}.br`]: brotliCompressSync(content) });
});
after(() => gateway?.stop());

/** A process of another version keeps its files. */
const keepOther = (files: Readonly<Record<string, Buffer>>) =>
  keepFiles(gateway.running.ctx, { files: new Set(Object.keys(files)), read: async (name) => files[name]! });

/** The database, with a count of its statements. */
function counting() {
  const { ctx } = gateway.running;
  const asked = { count: 0 };
  const query: typeof ctx.db.query = (...of) => {
    asked.count += 1;
    return ctx.db.query(...of);
  };
  return { kept: createKept({ ...ctx, db: { ...ctx.db, query } }), asked };
}

async function ask(times: number): Promise<Socket> {
  const { hostname, port } = new URL(gateway.running.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /console/${FILE} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(times));
  // The first answer has begun. No more of it is read than the socket's buffer takes.
  await once(socket, "readable");
  return socket;
}

test("hold one copy of it between them", async () => {
  const { ctx } = gateway.running;
  const answer = await fetch(`${gateway.running.url}/console/${FILE}`, { headers: { "accept-encoding": "identity" } });
  assert.equal((await answer.arrayBuffer()).byteLength, SIZE);
  const held = () => process.memoryUsage().arrayBuffers;
  const earlier = held();
  const sockets = await Promise.all(Array.from({ length: 4 }, () => ask(50)));
  // One who reads is answered after them, as soon as an own file is.
  for (let i = 0; i < 5; i += 1) assert.equal((await fetch(`${gateway.running.url}/console/${FILE}`)).status, 200);
  const more = held() - earlier;
  for (const socket of sockets) socket.destroy();
  assert.ok(more < 20 * SIZE, `${more} bytes more for 200 answers of ${SIZE} bytes; ${ctx.unread.bytes()} unread`);
});

test("cost the list of names and one statement for each file, and none for a name that is not there or not ours", async () => {
  const { kept, asked } = counting();
  const names = ["assets/none.js.br", `${FILE}.br`];
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 200 }, (_, i) => kept.read(names[i % 2]!)));
    const all = await Promise.all(Array.from({ length: 200 }, () => kept.decompress(`${FILE}.br`)));
    for (const one of all) assert.equal(one, all[0]);
    assert.ok(all[0]?.equals(content));
  }
  assert.equal(asked.count, 2);
});

test("are refused where they ask for too many files at once, and the others are read", async () => {
  const many = Array.from({ length: 150 }, (_, i) => `assets/many-${i}.woff2`);
  await keepOther(Object.fromEntries(many.map((name) => [name, Buffer.from(name)])));
  const { kept } = counting();
  const reads = await Promise.allSettled(many.map((name) => kept.read(name)));
  const refused = reads.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 150 - 102);
  for (const one of refused) {
    const { reason } = one as PromiseRejectedResult;
    assert.ok(reason instanceof ApiError && reason.code === "OVERLOADED");
  }
  // Again, a page at a time.
  for (let i = 0; i < many.length; i += 50) {
    const page = many.slice(i, i + 50);
    assert.deepEqual((await Promise.all(page.map((name) => kept.read(name)))).map(String), page);
  }
});
