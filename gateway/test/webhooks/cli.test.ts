/** The command `pixgate`, as a person runs it: with what sandbox.json says and no other setting. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));

let gateway: TestGateway;
let receiver: Receiver;
const children: ChildProcess[] = [];
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await gateway.stop();
  await receiver.close();
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, PIXGATE_DATA_DIR: gateway.dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  }
  return { child, output, exited: new Promise<number | null>((resolve) => child.once("close", resolve)) };
}
async function run(...args: string[]): Promise<string> {
  const { output, exited } = start(...args);
  assert.equal(await exited, 0, output.text);
  return output.text;
}
/** @param code 1: refused or failed; 2: the command line is wrong. */
async function fails(code: 1 | 2, ...args: string[]): Promise<string> {
  const { output, exited } = start(...args);
  assert.equal(await exited, code, output.text);
  return output.text;
}
/** Whether a process has a handler of SIGINT, as Linux has it: bit 1 of the caught signals. */
async function isListening(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number.parseInt(/^SigCgt:\s*(\w+)$/m.exec(status)![1]!.slice(-2), 16) & 2) !== 0;
}
const received = (eventId: string) => receiver.received.filter(({ headers }) => headers["webhook-id"] === eventId);

describe("pixgate", () => {
  test("listen sends every event of the account to a local receiver, signed as real ones are", async () => {
    const made = await gateway.merchant.post("/sub-accounts", { reference: "loja-cli" });
    assert.equal(made.status, 201, made.text);
    const before = (await run("trigger", "payment_completed")).trim().split(/\s+/);
    const listening = start("listen", "--forward-to", receiver.url);
    await eventually("it listens", () => /secret (whsec_\S+)/.test(listening.output.text));
    const secret = /secret (whsec_\S+)/.exec(listening.output.text)![1]!;
    const caused: string[] = [];
    for (const kind of ["payment_completed", "payment_expired", "payment_failed"]) {
      const [event, eventId] = (await run("trigger", kind)).trim().split(/\s+/) as [string, string];
      assert.equal(event, kind);
      caused.push(eventId);
    }
    caused.push((await run("trigger", "payment_completed", "--sub-account", "loja-cli")).trim().split(/\s+/)[1]!);
    for (const eventId of caused) {
      const [hook] = await eventually(eventId, () => received(eventId).length > 0 && received(eventId));
      new Webhook(secret).verify(hook!.body, hook!.headers as Record<string, string>);
      assert.equal(hook!.headers["x-service-signature"], serviceSignature(secret, hook!.body));
      await eventually("its line", () => new RegExp(`${eventId}  200 `).test(listening.output.text));
    }
    assert.equal(received(before[1]!).length, 0, "what happened before is not sent");
    // What the failed payment leads to: its money goes back to the payer.
    const [back] = await eventually("the return", () => {
      const returned = receiver.received.filter(({ body }) => JSON.parse(body).event === "deposit_returned");
      return returned.length > 0 && returned;
    });
    caused.push(back!.headers["webhook-id"] as string);
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers["webhook-id"]).sort(),
      [...caused].sort(),
      "each once",
    );
    assert.ok(JSON.parse(received(caused[3]!)[0]!.body).subAccount === "loja-cli");
    listening.child.kill("SIGINT");
    await listening.exited;
    // The secret is the same the next time.
    const again = start("listen", "--forward-to", receiver.url, "--events", "payment_failed");
    await eventually("it listens again", () => again.output.text.includes(secret));
    const [, quiet] = (await run("trigger", "payment_completed")).trim().split(/\s+/);
    const [, loud] = (await run("trigger", "payment_failed")).trim().split(/\s+/);
    await eventually("the requested kind", () => received(loud!).length === 1);
    assert.equal(received(quiet!).length, 0);
    again.child.kill("SIGINT");
    await again.exited;
  });

  test("events replay sends them again: to a local receiver, or to the endpoints", async () => {
    const [, eventId] = (await run("trigger", "payment_completed")).trim().split(/\s+/) as [string, string];
    assert.match(
      await run("events", "replay", "--since", "1h", "--forward-to", receiver.url, "--dry-run"),
      /would be sent/,
    );
    assert.equal(received(eventId).length, 0);
    assert.match(
      await run("events", "replay", "--since", "1h", "--forward-to", receiver.url),
      new RegExp(`${eventId}  200`),
    );
    assert.equal(received(eventId).length, 1);
    assert.match(await fails(1, "events", "replay", "--since", "1h"), /no enabled endpoint/);
    const endpoint = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
    assert.match(await run("events", "replay", "--since", "1h", "--dry-run"), /: \d+ events would be sent/);
    assert.match(await run("events", "replay", "--since", "1h"), new RegExp(`^${endpoint.body.id}: \\d+ events\n$`));
    await eventually("once more", () => received(eventId).length === 2);
    assert.match(
      await run("events", "replay", "--since", "2999-01-01T00:00:00Z", "--endpoint", endpoint.body.id),
      /: 0 events/,
    );
  });

  test("trigger makes the simulator cause the events of money that leaves", async () => {
    for (const kind of ["refund_completed", "withdrawal_completed", "withdrawal_failed", "withdrawal_reversed"]) {
      assert.match(await run("trigger", kind), new RegExp(`^${kind}  \\S+\n$`));
    }
  });

  test("--wait ends with 1 for a charge that expires, and with 130 at Ctrl-C, which cancels nothing", async () => {
    const create = ["charges", "create", "--amount", "7.70", "--description", "A wait", "--wait"];
    const [expiring, interrupted] = [start(...create), start(...create, "--json")];
    const whole = /^qrCodeBase64 +data:image\/png;base64,… \(whole with --json\)$/m;
    await eventually(
      "the charge is printed",
      () => /^id +\S+\nstatus +pending/m.test(expiring.output.text) && whole.test(expiring.output.text),
    );
    const id = /^id +(\S+)/m.exec(expiring.output.text)![1]!;
    const made = async () => {
      const { body } = await gateway.merchant.get("/transactions?limit=100");
      return (body.items as { id: string; status: string; amount: number }[]).filter(({ amount }) => amount === 7.7);
    };
    await eventually("both charges are made", async () => (await made()).length === 2);
    const other = (await made()).find((one) => one.id !== id)!.id;
    // What made the charge listens for Ctrl-C as soon as it polls.
    await eventually("the second one polls", async () => {
      const before = interrupted.child.exitCode;
      return before === null && (await isListening(interrupted.child.pid!));
    });
    interrupted.child.kill("SIGINT");
    const expired = await gateway.merchant.post(`/sandbox/pix/${id}/expire`, {});
    assert.equal(expired.status, 200, expired.text);
    assert.equal(await interrupted.exited, 130, interrupted.output.text);
    assert.match(interrupted.output.text, new RegExp(`"id": "${other}"`));
    assert.match(interrupted.output.text, new RegExp(`nothing is cancelled: pixgate transactions get ${other} --wait`));
    assert.equal(await expiring.exited, 1, expiring.output.text);
    assert.match(expiring.output.text, /^status +cancelled/m);
    assert.equal((await made()).find((one) => one.id === other)!.status, "pending");
  });

  test("ends without words where nobody reads on, and listen with 0 at Ctrl-C", async () => {
    const unread = start("events", "list", "--json");
    unread.child.stdout.destroy();
    assert.equal(await unread.exited, 141, unread.output.text);
    assert.equal(unread.output.text, "");
    const listening = start("listen", "--forward-to", receiver.url);
    await eventually("it listens", () => /secret whsec_/.test(listening.output.text));
    listening.child.kill("SIGINT");
    assert.equal(await listening.exited, 0, listening.output.text);
  });

  test("says in one line what is wrong, and exits 2 where the command line is", async () => {
    const wrong: [string[], RegExp][] = [
      [["trigger", "nothing"], /^pixgate: .*'nothing' is invalid.* Allowed choices are payment_completed, /],
      [["trigger"], /^pixgate: missing required argument 'event'\n$/],
      [["listen"], /^pixgate: --forward-to takes/],
      [["listen", "--forward-to", "ftp://x"], /^pixgate: --forward-to takes/],
      ...["0x10", "25,90", "25.9.1", "1e3"].map((amount): [string[], RegExp] => [
        ["charges", "create", "--amount", amount, "--description", "x"],
        /^pixgate: .*It must be a number such as 25\.90, or none\.\n$/,
      ]),
      [["events", "replay"], /^pixgate: --since takes/],
      [["events", "replay", "--since", "yesterday"], /^pixgate: --since takes/],
      [["events"], /^pixgate: events needs a command: replay, list, get\n$/],
      [["nonsense"], /^pixgate: unknown command 'nonsense'\n$/],
      [["accuont"], /^pixgate: unknown command 'accuont'\n\(Did you mean account\?\)\n$/],
      [["listen", "--nonsense"], /^pixgate: unknown option '--nonsense'\n$/],
    ];
    const negative = await fails(1, "charge", "create", "--amount", "-5", "--description", "x");
    assert.equal(negative, "pixgate: the gateway answered 400: amount must be >= 1 (VALIDATION_ERROR)\n");
    assert.match(
      await fails(1, "login", "--url", "http://127.0.0.1:9", "--operator", "--secret-file", "/nowhere"),
      /^pixgate: \/nowhere cannot be read: ENOENT[^\n]*\n$/,
    );
    await Promise.all(wrong.map(async ([args, says]) => assert.match(await fails(2, ...args), says, args.join(" "))));
  });

  test("prints its help, that of each command, and its version", async () => {
    const [help, same, listen, version] = await Promise.all([
      run("help"),
      run("--help"),
      run("help", "listen"),
      run("--version"),
    ]);
    assert.match(help, /^Usage: pixgate .*\n {2}listen \[options\] +Forward every event/s);
    for (const command of [
      "trigger",
      "events\\|event",
      "accounts\\|account",
      "verify",
      "serve",
      "migrate",
      "master-key",
      "completion",
    ]) {
      assert.match(help, new RegExp(`\\n {2}${command} `));
    }
    assert.match(help, /Exit codes: 0 done; 1 refused or failed, .*; 2 the command line is wrong/s);
    assert.equal(same, help);
    assert.match(listen, /--forward-to <url> /);
    const { version: ours } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    assert.equal(version, `${ours}\n`);
  });

  test("completes commands, options and their values in bash, zsh and fish", async () => {
    const scripts = await Promise.all(["bash", "zsh", "fish"].map((shell) => run("completion", shell)));
    for (const script of scripts) assert.match(script, /pixgate complete -- /);
    const checked = spawnSync("bash", ["-n"], { input: scripts[0] });
    assert.equal(checked.status, 0, String(checked.stderr));
    // A bash without the package bash-completion.
    const typed = `pixgate() { "${process.execPath}" "${BIN}" "$@"; }
      ${scripts[0]}
      COMP_WORDS=(pixgate charge cr) COMP_CWORD=2; __pixgate_complete 2>/dev/null; echo "\${COMPREPLY[*]}"`;
    const completed = spawnSync("bash", ["--norc"], { input: typed, encoding: "utf8" });
    assert.equal(completed.stdout, "create\n", completed.stderr);
    const proposed = async (...words: string[]) =>
      (await run("complete", "--", ...words))
        .split("\n")
        .filter((line) => !/^(?::\d+)?$/.test(line))
        .map((line) => line.split("\t")[0]);
    assert.deepEqual(await proposed("acc"), ["accounts"]);
    assert.deepEqual(await proposed("accounts", "ad"), ["adjust"]);
    assert.deepEqual(await proposed("account", "ad"), ["adjust"]);
    assert.deepEqual(await proposed("case", "show", "--js"), ["--json"]);
    assert.deepEqual(await proposed("accounts", "adjust", "--am"), ["--amount"]);
    assert.deepEqual(await proposed("accounts", "adjust", "--balance", ""), ["available", "promotional"]);
    assert.deepEqual(await proposed("trigger", "payment_"), ["payment_completed", "payment_expired", "payment_failed"]);
    assert.match(await fails(2, "completion", "csh"), /^pixgate: .*'csh' is invalid/);
  });
});
