/**
 * Payouts: transfers to a key. Asaas knows no id of ours by which a repeat would be the same one. So nothing is repeated
 * before its list was searched, for our id in the reference of a transfer, and did not show it for a time (`repeat`, `list_first`).
 * Its own guard, a 409 to the same amount and key within 15 minutes, also meets honest twins, so it proves neither.
 */
import { dayOf } from "../../lib/days.ts";
import { toDecimalString } from "../../lib/money.ts";
import { isAmount } from "../api-pix/interpret.ts";
import { record } from "../api-pix/read-values.ts";
import { keyTypeOf } from "../key-type.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { Payouts, PspPayout } from "../psp.ts";
import {
  failureOf,
  isForeign,
  isOfPayout,
  nameOf,
  readAsaasId,
  readPage,
  readTransfer,
  wordsOf,
} from "./read-answers.ts";

const ID = /^[a-zA-Z0-9]{1,35}$/;

export function sendPayouts(api: OwnApi, pageSize: number): Payouts {
  const list = (query: string) => api.call({ route: "listPayouts", method: "GET", path: `/transfers?${query}` });

  /** By our id, in the first page of what Asaas shows of it. That filter is not documented, so an absence proves nothing. */
  async function lookUp(id: string): Promise<Found<PspPayout>> {
    const page = foundIn(await list(`externalReference=${id}&limit=100`), readPage);
    if (page.kind !== "found") return { kind: "unknown", reason: page.kind === "absent" ? "no_list" : page.reason };
    return oneOf(page.value.items.filter((item) => isOfPayout(item, id)));
  }

  return {
    async sendPayout({ id, amount, pixKey, mayLeave }) {
      if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const pixAddressKeyType = keyTypeOf(pixKey);
      if (pixAddressKeyType === null) return { kind: "unsent", reason: "invalid_key" };
      const before = await lookUp(id);
      if (before.kind === "found") return ours(before.value, amount);
      if (before.kind === "unknown" && before.reason !== "no_bank_id") return { kind: "unsent", reason: before.reason };
      // The search may have lasted until another process sends it.
      if (mayLeave && !(await mayLeave())) return { kind: "unsent", reason: "claim_over" };
      const reply = await api.call({
        route: "putPayout",
        method: "POST",
        path: "/transfers",
        body: {
          // A number of at most 12 digits is written as it is read: nothing is multiplied or rounded.
          ...{ value: Number(toDecimalString(amount)), operationType: "PIX", pixAddressKeyType },
          pixAddressKey: pixAddressKeyType === "PHONE" ? pixKey.replace(/^\+55/, "") : pixKey,
          ...{ externalReference: id, description: wordsOf(id) },
        },
      });
      if (reply.kind === "refused") return refusalOf(reply);
      if (reply.kind !== "ok") return { kind: reply.kind, reason: reply.reason };
      const sent = readAccepted(reply.body, id);
      return sent === null ? { kind: "unknown", reason: "unexpected_answer" } : ours(sent, amount);
    },

    async findPayout(id, reference = null) {
      if (!ID.test(id)) return { kind: "unknown", reason: "invalid_id" };
      if (reference === null) return lookUp(id);
      if (readAsaasId(reference) === undefined) return { kind: "unknown", reason: "invalid_id" };
      const reply = await api.call({ route: "getPayout", method: "GET", path: `/transfers/${reference}` });
      return foundIn(reply, (body) => {
        const payout = readTransfer(body);
        return payout?.id === id && payout.reference === reference ? payout : null;
      });
    },

    /** By the days on which they were made, of Brasília: those of whole days. */
    async listPayouts({ from, to, page }) {
      const days = `dateCreated%5Bge%5D=${dayOf(from)}&dateCreated%5Ble%5D=${dayOf(to)}`;
      const reply = await list(`${days}&offset=${page * pageSize}&limit=${pageSize}`);
      return foundIn(reply, (body) => {
        const shown = readPage(body);
        if (shown === null) return null;
        const items = shown.items.filter((item) => !isForeign(item));
        const payouts = items.flatMap((item) => readTransfer(item) ?? []);
        const unreadable = items.filter((item) => readTransfer(item) === null).map(nameOf);
        const nextPage = shown.hasMore ? page + 1 : null;
        return { payouts, nextPage, ...(unreadable.length > 0 && { unreadable }) };
      });
    },
  };
}

/** The transfer of items that show our id. */
function oneOf(items: readonly unknown[]): Found<PspPayout> {
  const all = items.flatMap((item) => readTransfer(item) ?? []);
  // One that cannot be read may be paid.
  if (all.length < items.length) return { kind: "unknown", reason: "unreadable" };
  // Which of them is meant, or whether both were paid, the list of all shows.
  if (new Set(all.map(({ reference }) => reference)).size > 1)
    return { kind: "unknown", reason: "id_used_for_another_payout" };
  const [value] = all;
  return value ? { kind: "found", value } : { kind: "unknown", reason: "no_bank_id" };
}

/** A refusal with our reason; the bank's own code goes into the message. */
function refusalOf({ httpStatus, code, message }: { httpStatus: number; code: string; message: string }) {
  const words = message === "" ? code : `${code}: ${message}`;
  return { kind: "rejected", httpStatus, code: failureOf(message), message: words } as const;
}

/** The answer to a request, which need not repeat our reference. */
const readAccepted = (body: unknown, id: string): PspPayout | null => {
  const said = record(body);
  return said === undefined ? null : readTransfer({ ...said, externalReference: said.externalReference ?? id });
};

const ours = (value: PspPayout, amount: number) =>
  value.amount === amount
    ? ({ kind: "accepted", value } as const)
    : ({ kind: "unknown", reason: "id_used_for_another_payout" } as const);
