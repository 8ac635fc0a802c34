import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsTable } from "../../src/accounts/account.ts";
import { ApiError } from "../../src/http/errors.ts";
import { hashRequest, type KeyedCall, keptKeysTable } from "../../src/http/idempotency.ts";
import { type KeyedCommand, keyedCommand } from "../../src/http/keyed-command.ts";
import { available, operator } from "../../src/ledger/chart.ts";
import type { CommandKind } from "../../src/ledger/lane.ts";
import { ACCOUNT, at, Desk, object } from "./desk.ts";

const keyed = (changes: Partial<KeyedCall> = {}): KeyedCall => ({
  accountId: ACCOUNT, walletId: ACCOUNT, route: "POST /x", key: "key-0001", requestHash: hashRequest({}), ...changes,
}); // biome-ignore format: one row

/** Answers the account's number, which it learns in its second check; `refuse` answers an error. */
type Ask = {
  readonly accountId: string;
  readonly refuse?: boolean;
  readonly moves?: boolean;
  readonly writes?: boolean;
};
const ask: CommandKind<Ask, number | ApiError> = {
  name: "ask",
  wants({ accountId }, want) {
    for (const name of [operator, available(accountId)]) want.ledger(accountId, name);
  },
  follows: ({ accountId }, _, want) => want.row(accountsTable, { accountId, id: accountId }),
  decide({ accountId, refuse, moves, writes }, books) {
    const sourceId = object(1);
    const [from, to] = [operator, available(accountId)];
    const moved = { accountId, kind: "adjustment" as const, sourceId, leg: 0, amount: 1, from, to, occurredAt: at("12:00:00") };
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    const written = { op: "show" as const, table: accountsTable, key: { accountId, id: accountId }, row: settings };
    const result = refuse ? new ApiError("ACCOUNT_SUSPENDED") : settings.number;
    return { result, ...(moves && { transfers: [moved] }), ...(writes && { writes: [written] }) };
  },
}; // biome-ignore format: one row
const askKeyed = keyedCommand(ask);
const call = (changes: Partial<KeyedCommand<Ask, number>> = {}, command: Partial<Ask> = {}) => ({
  accountId: ACCOUNT,
  objectId: object(1),
  keyed: keyed(),
  toAnswer: (number: number) => ({ status: 201, body: String(number) }),
  command: { accountId: ACCOUNT, ...command },
  ...changes,
});

test("a call with a key is decided once, and answered the same whoever comes again", () => {
  const desk = new Desk({ number: 42 });
  const answer = { status: 201, body: "42" };
  assert.deepEqual(desk.run("first", askKeyed, call({}, { moves: true })), { answer, replayed: false });
  // Whose answer to COMMIT was lost runs again with the id that it made before.
  assert.deepEqual(desk.run("itself again", askKeyed, call()), { answer, replayed: false });
  assert.deepEqual(desk.run("another", askKeyed, call({ objectId: object(2) })), { answer, replayed: true });
  const reused = desk.run("of another body", askKeyed, call({ keyed: keyed({ requestHash: hashRequest({ a: 1 }) }) }));
  assert.equal((reused as ApiError).code, "IDEMPOTENCY_KEY_REUSED");
  for (const other of [{ key: "key-0002" }, { walletId: object(3) }, { route: "POST /y" }]) {
    assert.deepEqual(desk.run("of another scope", askKeyed, call({ keyed: keyed(other) })), {
      answer,
      replayed: false,
    });
  }
  assert.equal(desk.all(keptKeysTable).length, 4);
  assert.deepEqual(desk.run("without a key", askKeyed, call({ keyed: null })), { answer, replayed: false });
  assert.equal(desk.all(keptKeysTable).length, 4);
});

test("a refusal leaves the key free, and may have no effects", () => {
  const desk = new Desk();
  const refused = desk.run("refused", askKeyed, call({}, { refuse: true }));
  assert.equal((refused as ApiError).code, "ACCOUNT_SUSPENDED");
  assert.equal(desk.all(keptKeysTable).length, 0);
  for (const effects of [{ moves: true }, { writes: true }]) {
    const bug = () => desk.run("refused with effects", askKeyed, call({}, { refuse: true, ...effects }));
    assert.throws(bug, /ask refused, and has effects/);
  }
});

test("a key under which another kind of call still runs is asked for again in a second", () => {
  const desk = new Desk();
  const running = { call: keyed(), objectId: null, answer: null, createdAt: at("12:00:00") };
  desk.put(keptKeysTable, `${ACCOUNT} key-0001 POST /x`, running);
  const { code, details, headers } = desk.run("asked", askKeyed, call()) as ApiError;
  assert.deepEqual([code, details, headers], ["IDEMPOTENCY_IN_PROGRESS", { retryable: true }, { "retry-after": "1" }]);
});
