/**
 * What the gateway asks of a PSP, as types only. An adapter (`psp/<name>/`) translates between this and the
 * PSP's wire; it decides nothing and never touches the database.
 *
 * Amounts are integer centavos, times are `Date`.
 */

/**
 * How a call that changes something at the PSP ended.
 * - `accepted`: the PSP said yes.
 * - `rejected`: the PSP said no in a way that proves it did nothing (a recognised 4xx).
 * - `unsent`: no byte of the request left this machine (refused connection, no token, name not found).
 * - `unknown`: anything else. Not a failure: ask again with the same id.
 */
export type Outcome<T> =
  | { readonly kind: "accepted"; readonly value: T }
  | { readonly kind: "rejected"; readonly httpStatus: number; readonly code: string; readonly message: string }
  | { readonly kind: "unsent"; readonly reason: string }
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * How a question ended. `absent` means that the PSP answered and does not have it (which, for a PSP whose reads lag,
 * may still mean *not yet*); `unknown` that it did not answer usefully.
 */
export type Found<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly reason: string };

export type ChargeOrder = {
  /** 26 to 35 alphanumerics, ours (Central Bank's API Pix, `txid`). */
  readonly txid: string;
  /** Centavos. */
  readonly amount: number;
  /** Seconds until the PSP refuses payment. */
  readonly expiresIn: number;
  /** Shown to the payer; the adapter cuts it to what the PSP takes. */
  readonly description: string;
  /** Sent only when both parts are known: the PSP wants both or neither. */
  readonly payer?: { readonly name: string; readonly document: string } | undefined;
};

export type PspCharge = {
  readonly txid: string;
  readonly amount: number;
  /** `removed` covers both removals of the protocol (by receiver, by PSP). There is no "expired" at a PSP. */
  readonly status: "active" | "paid" | "removed" | "unrecognised";
  /** The BR Code ("copia e cola"); absent where the PSP sends neither it nor a location to build it from. */
  readonly pixCopyPaste?: string | undefined;
  /** The PSP's own id of the charge, where it has one beside the txid. */
  readonly pspPaymentId?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** `createdAt` plus the PSP's own expiry: until then a payer can pay. */
  readonly expiresAt?: Date | undefined;
  /** The receiver's key the charge was issued on. */
  readonly pixKey?: string | undefined;
  /** What has been paid on it; empty until then. */
  readonly pix: readonly PspPix[];
};

/** A received Pix. Its presence at the PSP means that it is settled. */
export type PspPix = {
  /** End-to-end id, 32 characters, case-sensitive; unique in the whole network. */
  readonly e2eId: string;
  readonly txid?: string | undefined;
  readonly pixKey?: string | undefined;
  readonly amount: number;
  /** When the payer paid (`horario`). Decides whether a payment is late. */
  readonly paidAt: Date;
  /** Often left out by PSPs: the standard has no payer. Document: digits, or an alphanumeric CNPJ; never masked. */
  readonly payer?: { readonly name?: string | undefined; readonly document?: string | undefined } | undefined;
  /** Returns (devoluções) of it that the PSP shows, ours and its own (MED). */
  readonly returns: readonly PspReturn[];
};

export type PspReturn = {
  /** Our id of the return, or the PSP's for one it made itself. */
  readonly id: string;
  /** Return id in the network (`D…`, 32 characters). */
  readonly rtrId?: string | undefined;
  readonly amount: number;
  readonly status: "processing" | "settled" | "failed" | "unrecognised";
  /** True for the natures MED_*: the PSP made it, not we. */
  readonly med: boolean;
  readonly requestedAt?: Date | undefined;
  readonly settledAt?: Date | undefined;
  readonly reason?: string | undefined;
};

export type PixPage = { readonly pix: readonly PspPix[]; readonly nextPage: number | null };

/** What the sandbox can make the simulator do; absent on a real PSP. */
export type SandboxControl = {
  /**
   * Pays a charge as a payer would. Resolves when the PSP has booked it (its callback may still be on the way).
   * `accepted` carries the end-to-end id.
   */
  payCharge(payment: {
    readonly txid: string;
    /** Centavos; the charge's own amount when left out. */
    readonly amount?: number | undefined;
    readonly payer?: { readonly name: string; readonly document: string } | undefined;
  }): Promise<Outcome<{ readonly e2eId: string }>>;
};

export type Psp = {
  /** Creates the charge under our txid. A repeat with the same txid never makes a second one. */
  createCharge(order: ChargeOrder): Promise<Outcome<PspCharge>>;
  findCharge(txid: string): Promise<Found<PspCharge>>;
  /** Removes an unpaid charge, so that it can no longer be paid. `rejected` when it is not active any more. */
  cancelCharge(txid: string): Promise<Outcome<PspCharge>>;
  findPix(e2eId: string): Promise<Found<PspPix>>;
  /** One page of the Pix received in a window (both ends inclusive), `page` from 0. */
  listPix(window: { readonly from: Date; readonly to: Date; readonly page: number }): Promise<Found<PixPage>>;
  returnPix(order: {
    readonly e2eId: string;
    /** 1 to 35 alphanumerics, ours, unique within the Pix. */
    readonly id: string;
    readonly amount: number;
    readonly description?: string | undefined;
  }): Promise<Outcome<PspReturn>>;
  findReturn(key: { readonly e2eId: string; readonly id: string }): Promise<Found<PspReturn>>;
  /** Tells the PSP where to send its notifications for our key. */
  registerNotifications(url: string): Promise<Outcome<null>>;
  /** The Pix that a notification's body speaks of: hints, to be confirmed by `findPix`. An unusual body gives none. */
  readNotification(body: unknown): readonly PspPix[];
  readonly sandbox?: SandboxControl | undefined;
  /** Closes connections. */
  close(): Promise<void>;
};
