/**
 * What the gateway needs of a PSP, as types only. An adapter (`psp/<name>/`) translates between this and the PSP's API; it
 * decides nothing and never uses the database. Amounts are integer centavos, times are `Date`.
 */
import type { Components, DueTerms } from "../lib/due.ts";
import type { Approvals } from "./approvals.ts";
import type { Found, Outcome } from "./outcome.ts";
import type { PayoutFailure } from "./payout-failure.ts";
import type { Said } from "./said.ts";
import type { SandboxControl } from "./sandbox-control.ts";

/** `immediate`: `cob` of API Pix; `due`: `cobv`, with a due date. A query for one kind does not find the other. */
export type ChargeKind = "immediate" | "due";

export type ChargeOrder = {
  /** 26 to 35 alphanumerics, ours (Central Bank's API Pix, `txid`). */
  readonly txid: string;
  /** Centavos. */
  readonly amount: number;
  /** Seconds until the PSP refuses payment. The PSP of a charge with a due date counts its days instead. */
  readonly expiresIn: number;
  /** Makes it a charge with a due date. Its payer must be known. */
  readonly due?: DueTerms | undefined;
  /** Shown to the payer; the adapter shortens it to the length that the PSP accepts. */
  readonly description: string;
  /** Sent only when both parts are known: the PSP wants both or neither. */
  readonly payer?: { readonly name: string; readonly document: string } | undefined;
  /** The PSP's id of a location (`createLocation`) on which the charge is put. It replaces the ended charge there. */
  readonly location?: string | undefined;
};

export type PspCharge = {
  readonly txid: string;
  readonly amount: number;
  /** `removed` covers both removals of the protocol (by receiver, by PSP). There is no "expired" at a PSP. */
  readonly status: "active" | "paid" | "removed" | "unrecognised";
  /** The PSP's own word for an `unrecognised` status. */
  readonly unknownStatus?: string | undefined;
  /** The BR Code ("copia e cola"); absent where the PSP sends neither it nor a location to build it from. */
  readonly pixCopyPaste?: string | undefined;
  /** The PSP's own id of the charge, where it has one beside the txid. */
  readonly pspPaymentId?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** `createdAt` plus the PSP's own expiry: the payer can pay until then. */
  readonly expiresAt?: Date | undefined;
  /** Its terms, of a charge with a due date; absent where the PSP does not show them all readably. */
  readonly due?: DueTerms | undefined;
  /** The receiver's key on which the charge was issued. */
  readonly pixKey?: string | undefined;
  /** The payments of it. */
  readonly pix: readonly PspPix[];
};

/** A received Pix. Its presence at the PSP means that it is settled. */
export type PspPix = Said & {
  /** End-to-end id, 32 characters, case-sensitive; unique in the whole network. */
  readonly e2eId: string;
  readonly txid?: string | undefined;
  readonly pixKey?: string | undefined;
  readonly amount: number;
  /** Centavos of the amount that the PSP has kept back as tax: only the rest was credited. Absent: none, or not shown here. */
  readonly withheld?: number | undefined;
  /** When the payer paid (`horario`). Decides whether a payment is late. */
  readonly paidAt: Date;
  /** Often missing: the standard has no payer. Document: digits, or an alphanumeric CNPJ; never masked. */
  readonly payer?: { readonly name?: string | undefined; readonly document?: string | undefined } | undefined;
  /** How the PSP explains the amount; absent where it does not, or not readably. */
  readonly components?: Components | undefined;
  readonly tariff?: Tariff;
  /** Returns (devoluções) of it that the PSP shows, ours and its own (MED). */
  readonly returns: readonly PspReturn[];
  readonly unreadableReturns?: UnreadableReturns;
};

export type PspReturn = Said & {
  /** Our id of the return, or the PSP's for one it made itself; the network's where the PSP shows no other. */
  readonly id: string;
  /** Return id in the network (`D…`, 32 characters). Some PSPs show it only later. */
  readonly rtrId?: string | undefined;
  readonly amount: number;
  readonly status: "processing" | "settled" | "failed" | "unrecognised";
  /** True for the natures MED_*: the PSP made the return, not we. Null: the PSP shows no nature. */
  readonly med: boolean | null;
  readonly requestedAt?: Date | undefined;
  readonly settledAt?: Date | undefined;
  readonly reason?: string | undefined;
};

/** Centavos, more than 0, that the PSP charged to our account for a Pix. Absent: nothing, or not shown here. */
type Tariff = number;
/** How many unreadable returns were left out: each may be money that moved. Absent: none. */
type UnreadableReturns = number;
/**
 * `unreadable`: unreadable items, as `time/digest`. `cutAt`: with this many items the bank may have left out others.
 * `total`: the bank's own count, if it is higher.
 */
export type ListPage = Readonly<{ nextPage: number | null; unreadable?: string[]; cutAt?: number; total?: number }>;
/** Both ends are included; `page` from 0. */
export type ListWindow = { readonly from: Date; readonly to: Date; readonly page: number };
type PixPage = ListPage & { readonly pix: readonly PspPix[] };

/** A Pix that we send. */
type PayoutOrder = {
  /** 1 to 35 alphanumerics, ours, unique at the PSP for ever: the same id never pays twice. */
  readonly id: string;
  /** Centavos: what the receiver gets. */
  readonly amount: number;
  /** The receiver's key in its canonical form (withdrawals/pix-keys.ts). */
  readonly pixKey: string;
  /** CPF or CNPJ of the key's owner: the PSP refuses to pay anybody else. */
  readonly holderDocument: string;
  /** The name that the payout was asked for. No bank takes it; the simulator's holders have it. */
  readonly holderName?: string;
  /** At a bank with `numbers`: the number of this payout, which our books have stored. The same in each repeat. */
  readonly reference?: string;
  /** Asked right before the request that pays or prepares it, after other calls and the token. False: `unsent`, `claim_over`. */
  readonly mayLeave?: () => Promise<boolean>;
};

/**
 * A payout, by our id of it. `prepared`: nobody is paid before it is authorised (`authorisePayout`). `awaiting_approval`: the
 * PSP holds it until a person approves it there. `under_analysis`: while the PSP examines it, for up to an hour as a rule.
 */
export type PspPayout = Said & {
  readonly id: string;
  /** The PSP's own id of it, where it is found by that (`foundBy: "bank_id"`). */
  readonly reference?: string | undefined;
  /** End-to-end id, once there is one. */
  readonly e2eId?: string | undefined;
  readonly amount: number;
  readonly status:
    | "prepared"
    | "processing"
    | "awaiting_approval"
    | "under_analysis"
    | "settled"
    | "failed"
    | "unrecognised";
  /** Only of a failed one. */
  readonly failure?: { readonly code: PayoutFailure; readonly message: string } | undefined;
  readonly settledAt?: Date | undefined;
  /** As the PSP reports it; a masked document is left out. */
  readonly receiver?: { readonly name?: string | undefined; readonly document?: string | undefined } | undefined;
  readonly tariff?: Tariff;
  /** Returns of it after it was settled, in one part or in several. */
  readonly returns: readonly PspPayoutReturn[];
  readonly unreadableReturns?: UnreadableReturns;
};

/** Money of a sent Pix that its receiver gave back. */
export type PspPayoutReturn = Said & {
  /** The PSP's own id of it, and the network's (`D…`). One of them may be missing, and come later. */
  readonly id?: string | undefined;
  readonly rtrId?: string | undefined;
  readonly amount: number;
  readonly returnedAt: Date;
};

/** Our own account at the PSP, in centavos. */
export type PspBalance = {
  /** What is blocked included; negative when overdrawn. */
  readonly total: number;
  /** By court order or MED. */
  readonly blocked: number;
};

type PayoutPage = ListPage & { readonly payouts: readonly PspPayout[] };
/** Sending Pix. Not in the Central Bank's standard, so a PSP may not have it. */
export type Payouts = {
  /**
   * `sendPayout` asks `mayLeave` right before its request. Left out: at a bank that pays in two steps each attempt counts
   * as a request that has prepared a payout.
   */
  readonly asksToLeave?: true | undefined;
  /**
   * Sends under our id. A repeat with the same id never sends a second one; if the PSP reports a duplicate, the outcome is
   * `accepted`. It is `rejected` only after a query has shown that no earlier attempt arrived; at a PSP without such a
   * query (`foundBy: "bank_id"`) it means only that this attempt was refused.
   */
  sendPayout(order: PayoutOrder): Promise<Outcome<PspPayout, PayoutFailure>>;
  /** @param reference the PSP's own id of it; needed where `foundBy` is `bank_id`, and `unknown` without it. */
  findPayout(id: string, reference?: string | null): Promise<Found<PspPayout>>;
  /**
   * The second step at a bank that pays in two steps: authorises the payout with this reference, which our books have
   * stored. Absent: the bank pays in one step.
   */
  authorisePayout?(
    order: Pick<PayoutOrder, "id" | "amount" | "mayLeave"> & { readonly reference: string },
  ): Promise<Outcome<PspPayout, PayoutFailure>>;
  /** One page of what was sent in a window: later returns show here. Absent: this PSP lists none. */
  listPayouts?(window: ListWindow): Promise<Found<PayoutPage>>;
};

/** A MED case: somebody contests a Pix that we received, and the PSP has blocked the money. Or it blocks it by itself. */
export type PspInfraction = {
  /** The PSP's id of the case. */
  readonly id: string;
  /** The contested Pix. */
  readonly e2eId: string;
  /** Centavos contested; never more than the Pix. */
  readonly amount: number;
  /** `accepted`: the money goes back to the payer. `rejected`, `cancelled`: it stays with us. */
  readonly status: "open" | "in_defence" | "accepted" | "rejected" | "cancelled" | "unrecognised";
  readonly protocol?: string | undefined;
  readonly reason?: string | undefined;
  /** Until when a defence is possible. */
  readonly respondBy?: Date | undefined;
  /** Nobody contests it: the PSP itself holds the Pix while it examines it (bloqueio cautelar). There is no defence against it. */
  readonly precautionary?: { readonly heldUntil?: Date | undefined } | undefined;
  readonly openedAt?: Date | undefined;
  readonly closedAt?: Date | undefined;
  /** What the PSP's analyst wrote on closing it. */
  readonly resolution?: string | undefined;
};

type InfractionPage = ListPage & { readonly infractions: readonly PspInfraction[] };

/** MED cases. Not in the Central Bank's standard, so a PSP may not have it. */
export type Infractions = {
  /** One page of the cases of a window (both ends inclusive), `page` from 0. */
  listInfractions(window: ListWindow): Promise<Found<InfractionPage>>;
  /** Disputes a case. `rejected` when it is defended already, is closed, or its time is over. */
  defendInfraction(defence: { readonly id: string; readonly text: string }): Promise<Outcome<null>>;
};

/** An object that a notification reports. It is a hint: the gateway queries the PSP before it books anything. */
export type Notification =
  /** A Pix was received. `pix`: as the notification shows it. */
  | { readonly kind: "charge_paid"; readonly pix: PspPix }
  /** Returns of a received Pix were made, or ended. `pix`: as the notification shows it. */
  | { readonly kind: "return_moved"; readonly pix: PspPix }
  /** The same from a PSP whose notifications name the Pix by the PSP's own id only. */
  | {
      readonly kind: "pix_named";
      readonly about: "charge_paid" | "return_moved";
      readonly pixId: string;
      readonly txid?: string;
      /** Centavos that have certainly gone back of it by now; left out: it does not say that any have. */
      readonly returned?: number;
    }
  /** A payout of ours ended, or money of it came back. `payoutId`: our id, or the PSP's own (`foundBy`). */
  | { readonly kind: "payout_moved"; readonly payoutId: string; readonly tariff?: Tariff }
  /** A MED case was opened, or changed. */
  | { readonly kind: "case_opened"; readonly caseId: string };

/** What our access allows. */
export type PspAccess = {
  /** Scopes that our calls need and the PSP did not grant; null where it does not send scopes. */
  readonly missing: readonly string[] | null;
};

/** A static code to make: on our key, payable any number of times. */
type StaticCodeOrder = {
  /** 1 to 25 alphanumerics, ours: every Pix of the code carries it. */
  readonly txid: string;
  /** Centavos; null: the payer decides. */
  readonly amount: number | null;
  /** Shown to the payer, shortened to what fits. */
  readonly description: string | null;
};

export type Psp = {
  /** Fetches a new access token and returns what it allows. */
  access(): Promise<Found<PspAccess>>;
  /** Creates the charge under our txid. A repeat with the same txid never makes a second one. */
  createCharge(order: ChargeOrder): Promise<Outcome<PspCharge>>;
  /** `absent` is also an unpaid charge where `chargesShown` is `once_paid`. */
  findCharge(txid: string, kind: ChargeKind): Promise<Found<PspCharge>>;
  /**
   * Removes an unpaid charge, so that it can no longer be paid. `rejected` when it is not active any more.
   *
   * @param pspPaymentId the PSP's own id of it, as `createCharge` gave it; needed where `chargesShown` is `once_paid`.
   */
  cancelCharge(txid: string, kind: ChargeKind, pspPaymentId?: string | null): Promise<Outcome<PspCharge>>;
  /** Gives an unpaid charge with a due date other terms, the whole of them. May be repeated. Absent: see `dueEdits`. */
  reviseCharge?(revision: {
    readonly txid: string;
    readonly amount: number;
    readonly due: DueTerms;
  }): Promise<Outcome<PspCharge>>;
  /** @param e2eId or the PSP's own id of it, as a notification has it (`pixId`). */
  findPix(e2eId: string): Promise<Found<PspPix>>;
  /**
   * One page of the Pix received in a window (both ends inclusive), `page` from 0. `onlyReturned`: of which anything was
   * returned; a PSP that does not know that filter may list all.
   */
  listPix(window: ListWindow & { readonly onlyReturned?: boolean }): Promise<Found<PixPage>>;
  returnPix(order: {
    readonly e2eId: string;
    /** 1 to 35 alphanumerics, ours, unique within the Pix. */
    readonly id: string;
    readonly amount: number;
    readonly description?: string | undefined;
    readonly mayLeave?: PayoutOrder["mayLeave"];
  }): Promise<Outcome<PspReturn>>;
  /**
   * `hasFailed`: our books have it as failed. A PSP whose returns lack our id shows failed returns only then, because they
   * may be somebody else's.
   */
  findReturn(key: {
    readonly e2eId: string;
    readonly id: string;
    readonly hasFailed?: boolean;
  }): Promise<Found<PspReturn>>;
  /** The BR Code of a static code; null where none can hold our key. No call is made. Absent: see `staticCodes`. */
  staticCode?(order: StaticCodeOrder): string | null;
  /**
   * Makes a location of our own, and the code that points there. Not repeatable: after an unknown outcome an unused location
   * may be left, which costs nothing. Absent: see `tills`.
   */
  createLocation?(): Promise<Outcome<{ readonly id: string; readonly pixCopyPaste: string }>>;
  /** Registers the address that the PSP sends notifications of our key to. Absent: a person enters it at the PSP. */
  registerNotifications?(url: string): Promise<Outcome<null>>;
  /** The address that notifications of our key go to now. Absent: as above. */
  findNotifications?(): Promise<Found<string>>;
  /** Makes the PSP name payers in its notifications, and notify Pix without a txid. Absent: there is nothing to set. */
  configureNotifications?(): Promise<Outcome<null>>;
  /**
   * Whether the bank has signed a notification. `forged`: it has not, and the notification is dropped. `unknown`: its keys could
   * not be had, and the notification is a hint like that of a bank that signs none. Absent: this PSP signs none.
   */
  checkSignature?(notification: {
    /** The body as it came. */
    readonly raw: string;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  }): Promise<"valid" | "forged" | "unknown">;
  /** Questions of the bank about payouts, which it wants answered at once. Absent: this PSP asks none. */
  readonly approvals?: Approvals | undefined;
  /** The objects that the body of a notification reports, received Pix first; none for an unknown body. */
  readNotification(body: unknown): readonly Notification[];
  /** Absent: this PSP does not report it. */
  balance?(): Promise<Found<PspBalance>>;
  /** Absent: this PSP cannot send. */
  readonly payouts?: Payouts | undefined;
  /** Absent: this PSP does not list MED cases. */
  readonly infractions?: Infractions | undefined;
  readonly sandbox?: SandboxControl | undefined;
  /** Pays a charge in the bank's own sandbox, and plays nothing else: the bank is a real one. */
  readonly sandboxPayer?: Pick<SandboxControl, "payCharge"> | undefined;
  close(): Promise<void>;
};
