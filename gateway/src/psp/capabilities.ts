/**
 * What a bank can do through its adapter, as data. Routing, reconciliation, links and docs/banks.md read this, and never a
 * bank's name. Types, and words for people.
 *
 * A bank that sends Pix, reports its balance or lists MED cases also has `payouts`, `balance` or `infractions` in its `Psp`;
 * an adapter that differs from its declaration is not built (institutions/registry.ts).
 */

import type { ChargeKind } from "./psp.ts";

export type Capabilities = {
  /** Kinds of charges that it issues; none: it only pays out (`paysOnly`). */
  readonly charges: readonly ChargeKind[];
  /** `once_paid`: the query for a charge shows it when it was paid and not before, so an unpaid one is absent. */
  readonly chargesShown: "always" | "once_paid";
  /** It changes the terms of a charge with a due date (`PATCH /cobv`); then the adapter has `reviseCharge`. */
  readonly dueEdits: boolean;
  /**
   * What its list of received Pix contains. `charges_only`: a plain transfer to the key is left out, so its absence proves
   * nothing.
   */
  readonly receivedList: "all" | "charges_only";
  /**
   * It shows each Pix of a static code with the code's txid, in the query for one Pix and in its list. Then codes that stay can
   * be made here, and the adapter has `staticCode`.
   */
  readonly staticCodes: boolean;
  /** It makes locations (`loc` of API Pix) on which one charge after the other is put; then the adapter has `createLocation`. */
  readonly tills: boolean;
  /**
   * It asks payers for recurring authorisations of Pix Automático (`rec`, `cobr` of API Pix). No adapter does so yet: an
   * adapter that claims it is refused.
   */
  readonly automatic: boolean;
  /** Where it names the payer. `varies`: the standard leaves the payer out, and some banks add it. */
  readonly payers: "in_notifications" | "varies" | "never";
  /** `parts`: a received Pix goes back in several returns, up to its amount. */
  readonly returns: "whole" | "parts";
  /** Whether it reports what it charges for a Pix. */
  readonly tariffs: boolean;
  readonly balance: boolean;
  /** It lists MED cases and takes a defence. */
  readonly infractions: boolean;
  /** Its list of MED cases also shows the Pix that it holds while it examines them; left out: it shows none. */
  readonly precautionaryBlocks?: true;
  /** Null: it only receives. */
  readonly payouts: PayoutCapabilities | null;
  /** Most centavos of one Pix; null: no limit is known. */
  readonly maxAmount: number | null;
  /** How a charge of its sandbox is paid. `by_command`: `/v2/sandbox/...` pays it. `by_itself`: the bank pays small ones. */
  readonly sandboxPayment: "by_command" | "by_itself" | "none";
  /** How many calls of a kind its rules allow in a minute, which are kept (institutions/pace.ts); left out: no limit is known. */
  readonly perMinute?: Readonly<Partial<Record<CallKind, number>>>;
  /** The same in a second, where its rules name one. */
  readonly perSecond?: Readonly<Partial<Record<CallKind, number>>>;
  /** Most items on a page of its lists; left out: not known. */
  readonly pageItems?: number;
  /** Zone of its times. `written`: each time names its own. `brasilia`: none does, and they are Brasília's. Left out: not known. */
  readonly zone?: "written" | "brasilia";
  /** Of a bank that lists MED cases: whether it shows until when a defence is taken, and how it takes one; left out: not known. */
  readonly defence?: { readonly deadline: "shown" | "not_shown"; readonly evidence: "text" | "document" };
  /** What was not confirmed by anybody, beside everything that only the live bank can show. */
  readonly unverified: readonly string[];
};

export type CallKind = "tokens" | "charges" | "payouts" | "payout_queries" | "balance";

type PayoutCapabilities = {
  readonly to: readonly ("key" | "account" | "qr_code")[];
  /** Whether the bank refuses to pay a key whose owner is another than the withdrawal's holder. */
  readonly holderChecked: boolean;
  /** By which id a payout is found whose answer was lost. */
  readonly foundBy: "our_id" | "bank_id";
  /** What makes a repeat safe. `our_id`: the same id never pays twice. `list_first`: the list must be searched first. */
  readonly repeat: "our_id" | "list_first";
  /**
   * For how long the bank recognises a repeat. `unknown`: a payout that cannot be found is repeated only for
   * `LIMITS.payoutRepeats`.
   */
  readonly remembered: "for_ever" | "unknown";
  /**
   * It pays in two steps: a request prepares a payout and moves no money, so it may be repeated. A second call
   * (`authorisePayout`) authorises the payout whose id our books have stored.
   */
  readonly authorised: boolean;
  /** It lists what was sent. Where it does not, absence proves nothing, and days are compared without payouts. */
  readonly listed: boolean;
  /** A person may have to approve payouts at the bank. */
  readonly approvedAtBank: boolean;
  /**
   * Each payout carries a number of these that the client chooses, and each number is used once. Pixgate stores it before the
   * first request, as the payout's `reference`, and repeats use the same one. Left out: the bank wants none.
   */
  readonly numbers?: { readonly first: number; readonly last: number };
};
