import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import type { Site } from "./site.ts";

type Case = { readonly id: string; readonly evidence: { readonly data?: Readonly<Record<string, unknown>> } };
type Status = { readonly restored: boolean; readonly refusal?: { readonly code: string } };

/** The bank's days since the backup are compared once per call: two minutes are some twenty calls on a busy machine. */
const PATIENCE = 120_000;

/**
 * Ends the restore of a site by an operator's decisions: payouts that the books have lost are adopted, and those that the
 * bank has not seen are sent.
 */
export async function endRestore(site: Site): Promise<void> {
  const { operatorUrl, operatorToken } = site.sandbox();
  const operator = new Client(operatorUrl).withToken(operatorToken);
  const open = async (kind: string) =>
    (await operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}&limit=100`)).body.items;
  const decide = async (cases: readonly Case[], action: string, parameters: object) => {
    for (const { id } of cases) await operator.post(`/cases/${id}/propose`, { action, parameters });
  };
  await eventually(
    "the restore to end",
    async () => {
      const reason = "The servers of before are destroyed.";
      const { body } = await operator.post<Status>("/restore/finish", { reason });
      if (!body.restored) return true;
      const lost = (await open("reconciliation_difference")).filter(
        ({ evidence: { data } }) => data?.kind === "sent" && data.state === "missing_here",
      );
      await decide(lost, "adopt", {});
      return false;
    },
    PATIENCE,
  );
  await eventually(
    "every open withdrawal to be decided",
    async () => {
      await decide(await open("payout_unconfirmed"), "confirm", { reason: "The bank does not have it." });
      const waiting = await operator.get<{ items: unknown[] }>("/withdrawals?status=processing&limit=1");
      return waiting.body.items.length === 0;
    },
    PATIENCE,
  );
}
