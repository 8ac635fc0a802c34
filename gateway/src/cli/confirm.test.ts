import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { hasBody, methodOf } from "./actions/action.ts";
import { allNouns } from "./actions/all.ts";
import { MERCHANT_ASKS, OPERATOR_ASKS } from "./actions/confirmed.ts";
import { OPERATOR_NOUNS } from "./actions/operator.ts";
import { confirm } from "./confirm.ts";
import { apiOf } from "./effect.ts";
import { operationOf } from "./money.ts";

const terminal = (isTTY = true) => {
  const [input, output] = [Object.assign(new PassThrough(), { isTTY }), Object.assign(new PassThrough(), { isTTY })];
  return { input, output, shown: () => String(output.read()) };
};
const effect = (read = () => Promise.resolve({ account: { name: "Lo\u001b[2Jja" }, amount: "10.00" } as object)) => ({
  ...{ command: "withdrawals create", says: "Send money to a PIX key.", final: "It cannot be taken back." },
  read: read as () => Promise<Readonly<Record<string, unknown>>>,
});

describe("A command that moves money or cannot be undone", () => {
  test("says what will happen, and goes on when the answer is yes", async () => {
    for (const answer of ["y", "YES", " yes "]) {
      const { input, output, shown } = terminal();
      input.write(`${answer}\n`);
      await confirm(effect(), false, { input, output });
      const text = shown();
      assert.match(
        text,
        /^Send money to a PIX key\.\n {2}account\n {4}name {2}Lo\\u001b\[2Jja\n {2}amount {3}10\.00\n/,
      );
      assert.match(text, /\nIt cannot be taken back\.\n(?:.*\n)*.*Go on\? \[y\/N\]/);
    }
  });

  test("is not done for another answer, or none: exit code 1", async () => {
    for (const answer of ["n\n", "\n", "yess\n", ""]) {
      const { input, output } = terminal();
      input.end(answer);
      await assert.rejects(confirm(effect(), false, { input, output }), { exitCode: 1, message: /nothing was done/ });
    }
  });

  test("ends at Ctrl-C with 130", async () => {
    const { input, output } = terminal();
    const asked = confirm(effect(), false, { input, output });
    input.write("\u0003");
    await assert.rejects(asked, { exitCode: 130, message: /nothing was done/ });
  });

  test("needs --yes where there is no terminal: exit code 2, and nothing is read; with it nobody is asked", async () => {
    const never = effect(() => Promise.reject(new Error("nothing may be read")));
    const { input, output } = terminal(false);
    await assert.rejects(confirm(never, false, { input, output }), { exitCode: 2, message: /needs --yes/ });
    await confirm(never, true, { input, output });
    assert.equal(output.read(), null);
  });
});

/** Commands that change something and are not asked about, each with its reason. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...[
        "charges create",
        "charges quote",
        "charges update",
        "charges preview-due",
        "qr-codes create",
        "qr-codes update",
      ],
      ...["payment-links create", "payment-links update"],
    ].map((name) => [name, "moves no money until somebody pays"]),
  ),
  ...Object.fromEntries(
    [
      ...[
        "sandbox pay",
        "sandbox pay-qr-code",
        "sandbox expire",
        "sandbox settle-refund",
        "sandbox settle-withdrawal",
        "sandbox contest",
        "sandbox change-contest",
      ],
      "sandbox resolve-contest",
    ].map((name) => [name, "simulated money"]),
  ),
  ...Object.fromEntries(
    [
      ...[
        "transactions update",
        "sub-accounts create",
        "sub-accounts update",
        "projects create",
        "webhook-endpoints create",
      ],
      ...[
        "webhook-endpoints update",
        "accounts create",
        "accounts update",
        "credentials create",
        "institutions create",
      ],
      ...["institutions link", "cases assign", "cases add-note", "cases reject", "tokens create", "people invite"],
      ...["people recover", "restore begin", "tokens adopt", "credentials adopt", "checkout-settings replace"],
      "project-checkout-settings replace",
      ...["balance-blocks add-file", "notes create"],
    ].map((name) => [name, "another call undoes it, and no money moves"]),
  ),
  ...Object.fromEntries(
    [
      ...[
        "webhook-endpoints test",
        "webhook-endpoints replay",
        "webhook-deliveries redeliver",
        "institutions test",
        "banks check",
      ],
      ...[
        "withdrawals query",
        "institutions enter-balance",
        "ledger audit",
        "persons export",
        "reconciliation refresh",
      ],
    ].map((name) => [name, "reads, checks, or sends again what was sent"]),
  ),
};

test("every command that changes something asks, or is listed with the reason why not", () => {
  const { merchant, operator } = allNouns();
  const commands = Object.entries({ ...merchant, ...operator }).flatMap(([noun, one]) =>
    "verbs" in one ? Object.entries(one.verbs).map(([verb, action]) => [`${noun} ${verb}`, action] as const) : [],
  );
  const changing = commands.filter(([, action]) => hasBody(action) || methodOf(action) === "DELETE");
  assert.ok(changing.length > 50);
  const unasked = changing.filter(([, { asks, operator }]) => asks === undefined && operator?.asks === undefined);
  assert.deepEqual(unasked.map(([name]) => name).sort(), Object.keys(NOT_ASKED).sort());
  const names = Object.entries(OPERATOR_NOUNS).flatMap(([noun, { verbs }]) =>
    Object.keys(verbs).map((verb) => `${noun} ${verb}`),
  );
  assert.deepEqual(
    Object.keys(OPERATOR_ASKS).filter((name) => !names.includes(name)),
    [],
  );
  assert.equal(changing.filter(([, { api, asks }]) => api && asks).length, Object.keys(MERCHANT_ASKS).length);
  const silent = changing.filter(([, action]) => {
    const call = typeof action.call === "string" ? action.call : action.call(["x"], {});
    const path = call
      .split(" ")
      .at(-1)!
      .replace(/\{\d\}/g, "x");
    const operation = operationOf({ side: apiOf(action), method: methodOf(action), path });
    return action.asks !== undefined && (action.asks.final ?? operation?.["x-final"] ?? "") === "";
  });
  assert.deepEqual(
    silent.map(([name]) => name),
    [],
    "none says what cannot be taken back",
  );
});
