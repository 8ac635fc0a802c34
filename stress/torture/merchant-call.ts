/** A call of a merchant, as the merchant knows it. `status` null: no answer came. */
export type MerchantCall = {
  readonly key: string;
  readonly amount: number;
  readonly status: number | null;
  readonly body: { readonly id?: string; readonly status?: string } | null;
  /** Centavos for other wallets, as requested. */
  readonly split?: readonly { readonly subAccount: string; readonly amount: number }[];
};

/** The final answer to a cancellation: 200 or 400. */
export type Cancellation = { readonly id: string; readonly status: number };
