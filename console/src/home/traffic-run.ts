/** A run of traffic: its pace, when it ends, and what it has done. */
export type Run = {
  readonly perMinute: number;
  readonly endsAt: string;
  readonly done: Readonly<Record<"payments" | "withdrawals" | "refunds" | "contests" | "refused", number>>;
};

/** What the console's route of traffic answers; null: none is being made. */
export type TrafficAnswer = { readonly running: Run | null };
