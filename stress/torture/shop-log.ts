/** What shops and their payers remember. Centavos. */
import type { Client } from "../../gateway/test/harness/client.ts";
import type { OtherBank } from "./banks.ts";
import type { Desk, Scene } from "./desk.ts";

/** An account of its own, which sells in every way at one institution. */
export type Shop = {
  readonly accountId: string;
  readonly number: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly bank: OtherBank | null;
};

export type Parts = {
  readonly original: number;
  readonly fine: number;
  readonly interest: number;
  readonly discount: number;
  readonly abatement: number;
};

/** One Pix as its payer made it. */
export type Sale = {
  readonly way: "static" | "till" | "link" | "due";
  readonly e2eId: string;
  readonly amount: number;
  /** What the Pix must be for at the bank: the txid of the charge, or of the static code. */
  readonly txid: string;
  /** The code that was scanned, or the link whose form was filled in. */
  readonly about: string | null;
  /** What must become of it; `if room`: a link decides by how many have paid before. */
  readonly fate: "credited" | "returned" | "if room";
  /** Of a charge with a due date: what was asked, and how the bank explains what was paid; null: it does not. Null: of another one. */
  readonly due: { readonly asked: number; readonly parts: Parts | null } | null;
};

/** A part of a payment that its shop has asked to give back; null: all that is left. */
type PartBack = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly refundId: string;
  readonly amount: number | null;
};

/** A payment link with the number of places that it was made with. */
export type Offer = { readonly accountId: string; readonly linkId: string; readonly places: number };

/** Other terms that a shop has asked for: 5 BRL less. `isMade`: the gateway has answered that the bank has them. */
type DueEdit = { readonly chargeId: string; readonly isMade: boolean };

export type ShopLog = {
  readonly shops: Shop[];
  readonly sales: Sale[];
  readonly offers: Offer[];
  /** Charges that a till showed and nobody paid. */
  readonly cancelled: string[];
  readonly back: PartBack[];
  readonly edits: DueEdit[];
};

export const emptyShopLog = (shops: Shop[] = []): ShopLog => ({
  shops,
  sales: [],
  offers: [],
  cancelled: [],
  back: [],
  edits: [],
});

/** A person at work in a shop. */
export type Counter = {
  readonly scene: Scene;
  readonly desk: Desk;
  readonly shop: Shop;
  /** The control API of the shop's institution. */
  readonly bank: Client;
  readonly log: ShopLog;
  /** The key of one call of this person, which is never used again. */
  key(): { readonly headers: Record<string, string> };
};
