/** During an upgrade a page of one process loads its files from another, of an older or a newer version. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { sql } from "../../src/db/sql.ts";
import { buildConsole, findBuild } from "../../src/http/console/find-build.ts";
import { keepFiles } from "../../src/http/console/kept-files.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const DAY_MS = 86_400_000;
let ahead = 0;
const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
let gateway: TestGateway;
before(async () => {
  await buildConsole((error) => assert.fail(String(error)));
  gateway = await startGateway({}, { clock });
});
after(() => gateway?.stop());

const get = (file: string, encoding = "br") =>
  fetch(`${gateway.running.url}/console/${file}`, { headers: { "accept-encoding": encoding } });
const names = async () =>
  (await gateway.owner.query<{ name: string }>(sql`select name from console_files order by name`)).rows.map(
    ({ name }) => name,
  );

/** A process of another version keeps its files. */
async function keepOther(files: Readonly<Record<string, Buffer>>): Promise<void> {
  await keepFiles(gateway.running.ctx, {
    files: new Set(Object.keys(files)),
    read: async (name) => files[name]!,
  });
}

describe("the console's files of another version", () => {
  test("are kept by the time the first page is sent, every file that it may load", async () => {
    assert.deepEqual(await names(), []);
    assert.equal((await get("")).status, 200);
    const { files } = (await findBuild())!;
    const assets = [...files].filter((name) => name.startsWith("assets/") && !/\.(br|gz)$/.test(name));
    assert.ok(assets.length > 50, String(assets.length));
    const wanted = assets.map((name) => (files.has(`${name}.br`) ? `${name}.br` : name)).sort();
    // A page waits a second at most, which a busy machine may need.
    await eventually("the files to be kept", async () => (await names()).length >= wanted.length);
    assert.deepEqual(await names(), wanted);
  });

  test("are served with their type and for good, whatever the client accepts", async () => {
    const script = "export const version = 2;\n".repeat(20);
    const font = Buffer.from([0x77, 0x4f, 0x46, 0x32, 0, 255]);
    await keepOther({
      "assets/other-AbCd1234.js": Buffer.from(script),
      "assets/other-AbCd1234.js.br": brotliCompressSync(script),
      "assets/other-AbCd1234.js.gz": Buffer.from("unused"),
      "assets/other.woff2": font,
      "assets/altered.woff2": font,
      "index.html": Buffer.from("<p>not an asset</p>"),
    });
    const answers = await Promise.all(
      ["br, gzip", "gzip", "identity"].map((one) => get("assets/other-AbCd1234.js", one)),
    );
    for (const [i, answer] of answers.entries()) {
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), script);
      assert.equal(answer.headers.get("content-encoding"), i === 0 ? "br" : null);
      assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
      assert.match(answer.headers.get("cache-control")!, /immutable/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    }
    const answered = await get("assets/other.woff2");
    assert.deepEqual(Buffer.from(await answered.arrayBuffer()), font);
    assert.ok(!(await names()).includes("index.html"));
  });

  test("that nobody kept are not found, and one that somebody else wrote, or moved to another name, is not served", async () => {
    assert.equal((await get("assets/none-AbCd1234.js")).status, 404);
    // The list of names is read again after five seconds.
    ahead += 6_000;
    await gateway.owner.query(sql`
      insert into console_files select 'assets/moved.js.br', sealed_content, seen_at from console_files
      where name = 'assets/other-AbCd1234.js.br'`);
    await gateway.owner.query(sql`
      update console_files set sealed_content = 'alert(1)'::bytea
      where name in ('assets/altered.woff2', 'assets/other.woff2')`);
    const { files } = (await findBuild())!;
    const own = [...files].find((name) => name.endsWith(".js"))!;
    await gateway.owner.query(sql`
      update console_files set sealed_content = 'alert(1)'::bytea where name = ${`${own}.br`}`);
    assert.equal((await get("assets/moved.js")).status, 404);
    assert.equal((await get("assets/altered.woff2")).status, 404);
    // It was read before.
    assert.equal((await (await get("assets/other.woff2")).arrayBuffer()).byteLength, 6);
    assert.doesNotMatch(await (await get(own)).text(), /^alert\(1\)/);
  });

  test("go 90 days after the last process that has them, and not a day before", async () => {
    ahead += 89 * DAY_MS;
    await keepOther({ "assets/later.js": Buffer.from("1") });
    assert.ok((await names()).includes("assets/other-AbCd1234.js.br"));
    ahead += 2 * DAY_MS;
    await keepOther({ "assets/latest.js": Buffer.from("2") });
    const left = await names();
    assert.ok(!left.includes("assets/other-AbCd1234.js.br"));
    assert.ok(left.includes("assets/later.js") && left.includes("assets/latest.js"));
  });
});
