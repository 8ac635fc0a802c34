/** A bank from a package of one's own (`PIXGATE_BANKS`): the template, packed and installed as its users do it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { BANKS } from "../../src/psp/catalogue.ts";
import { loadBanks } from "../../src/psp/load-banks.ts";
import { Client, type Sandbox } from "../harness/client.ts";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { launchProcess, startProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const run = promisify(execFile);
const TEMPLATE = fileURLToPath(new URL("../../../examples/bank", import.meta.url));
const NAME = "pixgate-bank-template";

const folder = mkdtempSync(join(tmpdir(), "pixgate-bank-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A module beside the gateway, whose bank differs in these parts from one that can be loaded. */
function moduleOf(name: string, parts: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { bank as template } from ${JSON.stringify(join(TEMPLATE, "bank.js"))};
     export const bank = { ...template, ${parts} };`,
  );
  return file;
}

describe("the template of a bank, packed and installed into an empty folder", () => {
  before(async () => {
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    const packed = await run("npm", ["pack", TEMPLATE, "--pack-destination", folder, "--silent"], { cwd: folder, env });
    writeFileSync(join(folder, "package.json"), "{}");
    const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    await run("npm", ["install", ...options, join(folder, packed.stdout.trim())], { cwd: folder, env });
  });

  test("is found by its name, and says what it takes: settings that it shares with built-in banks are theirs", async () => {
    const [bank, ...others] = await loadBanks(` ${NAME}, `, BANKS, folder);
    assert.deepEqual([bank?.id, others], ["template", []]);
    const { clientSecret, pixKey } = bank!.settings.properties;
    const known = BANKS[0].settings.properties;
    assert.deepEqual([clientSecret, pixKey], [known.clientSecret, known.pixKey]);
  });

  test("takes a charge, whose payment is booked and part of which goes back", async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const bank = await startSimulatorPsp(t);
    const dataDir = join(folder, "data");
    const port = await freePort();
    const gateway = await startProcess({
      PIXGATE_PORT: String(port),
      PIXGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_BANKS: join(folder, "node_modules", NAME),
    });
    t.after(() => gateway.stop());
    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const banks = await operator.get<{ items: { id: string; unverified: string[] }[] }>("/banks");
    const listed = banks.body.items.find(({ id }) => id === "template");
    assert.match(listed?.unverified.join() ?? "", /no bank has answered it/);

    const { clientId, clientSecret, pixKey, controlToken } = bank.credentials;
    const made = await operator.post<{ id: string; provider: string }>("/institutions", {
      ...{ name: "Own", provider: "template", environment: "sandbox", priority: 0 },
      config: {
        ...{ templateAddress: bank.url, clientId, clientSecret, pixKey },
        ...{ controlUrl: `${bank.url}/control`, controlToken },
      },
    });
    assert.deepEqual([made.status, made.body.provider], [201, "template"], made.text);
    const link = `/accounts/${sandbox.accountId}/institutions/${made.body.id}`;
    const linked = await operator.send("PUT", link, '{"enabled":true,"priority":0}');
    assert.equal(linked.status, 200, linked.text);

    // Registers where its notifications go, and issues and removes a charge.
    const tried = await operator.post(`/institutions/${made.body.id}/test`);
    assert.equal(tried.status, 200, tried.text);

    const merchant = await gateway.client(sandbox);
    type Payment = { id: string; status: string; pspProvider?: string };
    const charge = await eventually("a charge at the own bank", async () => {
      const reply = await merchant.post<Payment>("/pix", { amount: 12.34, description: "Pedido" });
      assert.equal(reply.status, 201, reply.text);
      const { items } = await bank.control("GET", "/charges?limit=100");
      return (
        (items as { amountCentavos: number }[]).some(({ amountCentavos }) => amountCentavos === 1_234) && reply.body
      );
    });
    const paid = await merchant.post<Payment>(`/sandbox/pix/${charge.id}/pay`);
    assert.deepEqual([paid.status, paid.body.status], [200, "completed"], paid.text);
    const refund = await merchant.post<Payment>(`/transactions/${charge.id}/refund`, { amount: 2.34 });
    assert.deepEqual([refund.status, refund.body.pspProvider], [201, "template"], refund.text);
    await eventually(
      "the refund",
      async () => (await bank.control("GET", "/pix?limit=1")).items[0].returns[0]?.status === "DEVOLVIDO",
      30_000,
    );
  });
});

test("what cannot be loaded is named in one line, and nothing of it is used", async () => {
  const refused: readonly (readonly [module: string, says: RegExp])[] = [
    ["no-such-bank", /^no-such-bank: Cannot find module 'no-such-bank'/],
    [moduleOf("other-interface", "interface: 2"), /is written for interface 2, and this version has 1$/],
    [moduleOf("shadow", 'id: "efi"'), /there is a bank efi already$/],
    [moduleOf("bad-id", 'id: "Bad Id"'), /`id` of its bank is missing or wrong$/],
    [moduleOf("account", "account: 'the one'"), /`account` of its bank is missing or wrong$/],
    [moduleOf("no-create", "create: undefined"), /`create` of its bank is missing or wrong$/],
    [moduleOf("vague", "capabilities: () => ({})"), /`charges` of its capabilities is missing or wrong$/],
    [
      moduleOf("meaning", "settings: { pixKey: { type: 'string', description: 'x' } }"),
      /its setting pixKey exists already/,
    ],
    [moduleOf("unknown", "settings: { unheardOf: true }"), /no built-in bank has the setting unheardOf$/],
    [moduleOf("mute", "settings: { own: { type: 'string' } }"), /its setting own needs a type .* and a description$/],
    [moduleOf("lost", "destinations: ['elsewhere']"), /its destination elsewhere is none of its settings$/],
  ];
  for (const [module, says] of refused) await assert.rejects(loadBanks(module, BANKS, folder), { message: says });
  const twice = `${moduleOf("once", "")},${moduleOf("again", "")}`;
  await assert.rejects(loadBanks(twice, BANKS, folder), { message: /there is a bank template already$/ });
  assert.deepEqual(await loadBanks(undefined, BANKS, folder), []);
});

test("a gateway whose bank cannot be loaded does not start, says why in one line, and leaves nothing running", async () => {
  const dataDir = join(folder, "none");
  mkdirSync(dataDir);
  const started = launchProcess({ PIXGATE_DATA_DIR: dataDir, PIXGATE_BANKS: "./no-such-bank.js" });
  assert.equal(await started.exited, 1);
  assert.match(started.stderr(), /^pixgate: PIXGATE_BANKS: \.\/no-such-bank\.js: Cannot find module .*\n$/m);
  // Its PostgreSQL has ended: the file of a running one is gone.
  assert.throws(() => readFileSync(join(dataDir, "postgres", "data", "postmaster.pid")));
});
