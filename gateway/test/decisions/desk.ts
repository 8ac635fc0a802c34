import { accountsTable } from "../../src/accounts/account.ts";
import { walletsTable } from "../../src/accounts/wallet.ts";
import type { Facts, Standing } from "../../src/cases/basis.ts";
import { type ChargeRow, chargesTable } from "../../src/charges/charge.ts";
import type { Decision, Write } from "../../src/ledger/books.ts";
import { type LedgerName, nameKey } from "../../src/ledger/chart.ts";
import type { CommandKind } from "../../src/ledger/lane.ts";
import type { RowKey, Table } from "../../src/ledger/table.ts";
import { toBrl } from "../../src/lib/money.ts";
import { receiversTable } from "../../src/webhooks/events/emit.ts";
import { MemoryLane } from "../model/memory.ts";
import { settingsOf } from "../model/tenant.ts";

/** Ids that deciding made. */
const MADE = /00000000-0000-7000-9000-0+(\d+)/g;
const id = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
export const ACCOUNT = id(0xa);
export const SUB = id(0xb);
export const BANK = id(0xc);
export const CHARGE = id(0xd);
const ENDPOINT = id(0xe);
/** An id of a test's own. */
export const object = (n: number): string => id(0x100 + n);
export const at = (time: string): Date => new Date(`2026-03-10T${time}Z`);

/** Short names for what is in every row. */
const NAMES: readonly (readonly [string, string])[] = [
  [ACCOUNT, "ACCOUNT"],
  [SUB, "SUB"],
  [BANK, "BANK"],
  [CHARGE, "CHARGE"],
  [ENDPOINT, "ENDPOINT"],
];
const named = (text: string): string =>
  NAMES.reduce((said, [long, short]) => said.replaceAll(long, short), text).replaceAll(MADE, "new-$1");
const plain = (value: unknown): string =>
  named(JSON.stringify(value, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part)));

/** Everything that a decision means, one thing on a line: what it answers, which money moves, which rows are written. */
function say({ result, transfers = [], writes = [] }: Decision<unknown>, before: (write: Write) => unknown): string[] {
  const answer = result instanceof Error ? { ...result, message: result.message } : result;
  return [
    `  ${plain(answer)}`,
    ...transfers.map(({ kind, sourceId, leg, amount, from, to, occurredAt }) =>
      named(
        `  ${nameKey(from)} -> ${nameKey(to)}: ${toBrl(amount)} ${kind} of ${sourceId} (${leg}), ${occurredAt.toISOString()}`,
      ),
    ),
    ...writes.flatMap((write) => {
      const { op, table, key } = write;
      if (op === "insert") return [`  insert ${table.name} ${plain(write.row)}`];
      // Rows that only let the next command of a batch see what was decided.
      if (op === "show") return before(write) === undefined ? [`  insert ${table.name} ${plain(write.row)}`] : [];
      const old = before(write) as object | undefined;
      return [`  update ${table.name} ${named(key.id)} ${plain(changed(old, { ...old, ...write.set }))}`];
    }),
  ];
}

/** The fields that are different now. */
function changed(before: unknown, row: unknown): object {
  const old = Object.fromEntries(Object.entries(before ?? {}).map(([name, value]) => [name, plain(value)]));
  return Object.fromEntries(Object.entries(row as object).filter(([name, value]) => old[name] !== plain(value)));
}

/** Books in memory on which commands are decided one after another, and all of what they decided is reported. */
export class Desk {
  readonly #lane = new MemoryLane();
  #transcript: string[] = [];
  #made = 0;
  now = at("12:00:00");

  constructor(settings: Parameters<typeof settingsOf>[1] = {}) {
    this.put(accountsTable, ACCOUNT, settingsOf(ACCOUNT, settings));
    this.wallet("approved");
    this.put(walletsTable, ACCOUNT, {
      accountId: ACCOUNT,
      walletId: ACCOUNT,
      reference: "principal",
      status: "approved",
    });
    this.put(receiversTable, ACCOUNT, [{ endpointId: ENDPOINT, walletId: ACCOUNT, events: null, enabled: true }]);
  }

  /** The sub-account's status. */
  wallet(status: "approved" | "suspended"): this {
    this.put(walletsTable, SUB, { accountId: ACCOUNT, walletId: SUB, reference: "sub", status });
    return this;
  }

  charge(changes: Partial<ChargeRow> = {}): this {
    return this.put(chargesTable, CHARGE, {
      accountId: ACCOUNT,
      chargeId: CHARGE,
      walletId: ACCOUNT,
      status: "pending",
      amount: 1_000,
      description: "A book",
      externalReference: null,
      metadata: null,
      customerId: null,
      institutionId: BANK,
      txid: "txid",
      due: null,
      expiresAt: at("13:00:00"),
      split: null,
      paymentLinkId: null,
      closedAt: null,
      updatedAt: at("11:00:00"),
      ...changes,
    });
  }

  put<Row>(table: Table<Row>, rowId: string, row: Row): this {
    const key: RowKey = { accountId: ACCOUNT, id: rowId };
    this.#lane.put(table, key, row);
    return this;
  }

  find<Row>(table: Table<Row>, rowId: string): Row {
    return this.#lane.find(table, { accountId: ACCOUNT, id: rowId })!;
  }

  /** Of a ledger account, centavos. */
  balance(name: LedgerName): number {
    return this.#lane.balance(ACCOUNT, name);
  }

  all<Row>(table: Table<Row>): Row[] {
    return this.#lane.all(table);
  }

  /** Decides, and applies what was decided. Throws what deciding throws. */
  run<C extends { readonly accountId: string }, R>(title: string, kind: CommandKind<C, R>, command: NoInfer<C>): R {
    const watched: CommandKind<C, R> = {
      ...kind,
      decide: (...args) => {
        const decision = kind.decide(...args);
        this.#transcript.push(`${title}:`, ...say(decision, ({ table, key }) => this.#lane.find(table, key)));
        return decision;
      },
    };
    const newId = () => {
      this.#made += 1;
      return `00000000-0000-7000-9000-${String(this.#made).padStart(12, "0")}`;
    };
    const [result] = this.#lane.run([{ kind: watched as never, command }], { now: this.now, newId });
    return result as R;
  }

  /** The facts of a decision's object, as they are now. */
  facts<K extends { readonly accountId: string }>({ wants, facts }: Standing<K>, of: NoInfer<K>): Facts {
    return this.run<K, Facts>(
      "facts",
      { name: "facts", wants, decide: (key, books) => ({ result: facts(key, books) }) },
      of,
    );
  }

  /** What is decided from now on is what a test is about. */
  begin(): this {
    this.#transcript = [];
    return this;
  }

  /** Tables of which the last command wanted a row, in its order, and the ledger accounts that it wanted. */
  get wanted(): readonly string[] {
    return this.#lane.wanted;
  }

  /** All that was decided since then. */
  get transcript(): string {
    return this.#transcript.join("\n");
  }
}
