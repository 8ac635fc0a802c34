/** Where the callbacks of one key go. */
export type Webhook = { chave: string; webhookUrl: string; createdAt: number };
