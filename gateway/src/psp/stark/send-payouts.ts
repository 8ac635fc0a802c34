/**
 * Payouts: transfers to the account of a key. The key is looked up first, so its owner is known before anything is paid; our id is
 * the `externalId`, which Stark Bank takes once. Its documentation does not say whether it answers a repeat with the first
 * transfer, with a refusal, or with another transfer that fails: after all three the gateway queries the transfers with our id.
 */
import { isAmount } from "../api-pix/interpret.ts";
import { redacted } from "../api-pix/read-errors.ts";
import type { Found, Outcome } from "../outcome.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { PayoutFailure } from "../payout-failure.ts";
import type { Payouts, PspPayout } from "../psp.ts";
import { failureIn, isRepeated } from "./failures.ts";
import {
  type Destination,
  isHolder,
  readDestination,
  readErrors,
  readTransfers,
  type Transfer,
  tagOf,
} from "./read-answers.ts";

const ID = /^[a-zA-Z0-9]{1,35}$/;
/** The longest page of its lists. */
const PAGE = 100;
/** Failed transfers of one id whose logs are read, one after the other: with the usual time-out this ends within the lease. */
const MOST_LOGS = 5;
const USED = { kind: "unknown", reason: "id_used_for_another_payout" } as const;

type Refused = Extract<Outcome<never, PayoutFailure>, { readonly kind: "rejected" }>;

/** Queries the transfers with our id. */
function findTransfers(api: OwnApi): (id: string) => Promise<Found<PspPayout>> {
  const get = (path: string) => api.call({ route: "getPayout", method: "GET", path });

  async function findPayout(id: string): Promise<Found<PspPayout>> {
    if (!ID.test(id)) return { kind: "unknown", reason: "invalid_id" };
    const shown = foundIn(await get(`/v2/transfer?tags=${tagOf(id)}&limit=${PAGE}`), (body) => readTransfers(body, id));
    if (shown.kind !== "found") return shown.kind === "absent" ? { kind: "unknown", reason: "no_list" } : shown;
    const { transfers, unreadable, isWhole } = shown.value;
    if (unreadable > 0) return { kind: "unknown", reason: "unreadable" };
    const [live, ...others] = transfers.filter(({ payout }) => payout.status !== "failed");
    if (others.length > 0) return USED;
    if (live !== undefined) return { kind: "found", value: live.payout };
    // The next page may have a transfer that was paid.
    if (!isWhole) return { kind: "unknown", reason: "not_shown" };
    return transfers.length === 0 ? { kind: "absent" } : withReason(transfers);
  }

  /** The first failed transfer whose failure is not that of a repeat: no other transfer of our id can have been paid. */
  async function withReason(failed: readonly Transfer[]): Promise<Found<PspPayout>> {
    let last: Found<PspPayout> = { kind: "unknown", reason: "no_log" };
    // Lists begin with the newest transfer, and the oldest is no repeat.
    for (const one of failed.toReversed().slice(0, MOST_LOGS)) {
      last = await reasonOf(one);
      if (last.kind === "found") break;
    }
    return last;
  }

  /** A failed transfer with the reason, which only its log has. */
  async function reasonOf({ bankId, payout }: Transfer): Promise<Found<PspPayout>> {
    if (payout.failure?.code === "not_approved") return { kind: "found", value: payout };
    const path = `/v2/transfer/log?transferIds=${bankId}&types=failed&limit=${PAGE}`;
    const log = foundIn(await get(path), readErrors);
    if (log.kind === "unknown") return log;
    // The log may lag behind, and it alone shows whether the transfer failed as a repeat.
    if (log.kind === "absent" || log.value.length === 0) return { kind: "unknown", reason: "no_log" };
    const errors = log.value.flat();
    // A transfer that failed as a repeat proves that there is an earlier one, which the list does not show yet.
    if (errors.some(isRepeated)) return { kind: "unknown", reason: "id_in_use" };
    const words = errors.join("; ");
    const failure = { code: failureIn(words), message: redacted(words || (payout.failure?.message ?? "")) };
    return { kind: "found", value: { ...payout, failure } };
  }

  return findPayout;
}

export function sendPayouts(api: OwnApi): Payouts {
  const findPayout = findTransfers(api);

  /** A refusal counts only where no earlier transfer is shown. */
  async function unlessThere(refused: Refused, amount: number, id: string): Promise<Outcome<PspPayout, PayoutFailure>> {
    const existing = await findPayout(id);
    if (existing.kind === "unknown") return { kind: "unknown", reason: `refused_then_${existing.reason}` };
    if (existing.kind === "found") return mine(existing.value, amount);
    return isRepeated(refused.message) ? { kind: "unknown", reason: "id_in_use" } : refused;
  }

  return {
    findPayout,
    async sendPayout({ id, amount, pixKey, holderDocument, mayLeave }) {
      if (!ID.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const looked = await api.call({
        route: "getKey",
        method: "GET",
        path: `/v2/dict-key/${encodeURIComponent(pixKey)}`,
      });
      if (looked.kind === "refused") return unlessThere(refusalOf(looked), amount, id);
      const to = foundIn(looked, readDestination);
      if (to.kind !== "found") return { kind: "unsent", reason: to.kind === "unknown" ? to.reason : "key_not_shown" };
      if (to.value === "not_registered") return unlessThere(NOT_REGISTERED, amount, id);
      if (!isHolder(to.value.taxId, holderDocument)) return unlessThere(NOT_THE_HOLDER, amount, id);
      // The query may have taken so long that another process is sending the payout.
      if (mayLeave && !(await mayLeave())) return { kind: "unsent", reason: "claim_over" };
      const body = { transfers: [transferTo(to.value, { id, amount, holderDocument })] };
      const reply = await api.call({ route: "putPayout", method: "POST", path: "/v2/transfer", body });
      if (reply.kind === "refused") return unlessThere(refusalOf(reply), amount, id);
      if (reply.kind !== "ok") return { kind: reply.kind, reason: reply.reason };
      const answered = readTransfers(reply.body, id);
      const made = answered?.transfers[0]?.payout;
      if (made === undefined || answered?.unreadable !== 0) return { kind: "unknown", reason: "unexpected_answer" };
      if (made.status !== "failed") return mine(made, amount);
      const shown = await findPayout(id);
      return shown.kind === "found" ? mine(shown.value, amount) : { kind: "unknown", reason: "failed_and_not_shown" };
    },
  };
}

/** The document is that of the withdrawal's holder: the receiver's institution compares it with the account. */
function transferTo(
  to: Destination,
  { id, amount, holderDocument }: { id: string; amount: number; holderDocument: string },
) {
  const { bankCode, branchCode, accountNumber, accountType, name } = to;
  const account = { bankCode, branchCode, accountNumber, ...(accountType !== undefined && { accountType }) };
  return { ...account, amount, name, taxId: holderDocument, externalId: id, tags: [tagOf(id)] };
}

const mine = (value: PspPayout, amount: number): Outcome<PspPayout, PayoutFailure> =>
  value.amount === amount ? { kind: "accepted", value } : USED;

const NOT_REGISTERED: Refused = {
  ...{ kind: "rejected", httpStatus: 400, code: "key_not_found" },
  message: "the directory does not show the key as registered",
};
const NOT_THE_HOLDER: Refused = {
  ...{ kind: "rejected", httpStatus: 400, code: "holder_mismatch" },
  message: "the key belongs to somebody else",
};

/** A refusal with one of our codes as its reason; Stark Bank's own code is in the message. */
function refusalOf({ httpStatus, code, message }: { httpStatus: number; code: string; message: string }): Refused {
  const words = message === "" ? code : `${code}: ${message}`;
  return { kind: "rejected", httpStatus, code: failureIn(words), message: words };
}
