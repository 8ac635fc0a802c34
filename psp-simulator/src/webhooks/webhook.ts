/** What stands for the key where the callbacks of payouts of Inter's API go: they have an address of their own. */
export const PAYOUT_WEBHOOK = "pix-pagamento";

/** Where the callbacks of one key go. */
export type Webhook = { chave: string; webhookUrl: string; createdAt: number };
