/** Makes banks report Pix that another bank holds, with the same end-to-end ids, and returns and MED cases of them. */
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { pick } from "../harness/random.ts";
import { fundsOf, type OtherBank } from "./banks.ts";
import { createDesk, type Scene } from "./desk.ts";
import type { MerchantCall } from "./merchant-call.ts";

/** A Pix of the first bank that another bank reports. Centavos. */
export type Contradiction = {
  readonly bank: OtherBank;
  readonly e2eId: string;
  readonly amount: number;
  returned: number;
  contested: boolean;
};

/** Of the reported Pix, the shares with the charge's txid, with a return, and with a MED case. */
const [NAMED, RETURNED, CONTESTED] = [0.3, 0.6, 0.5];

/** Now and then makes a bank report a payment that the first bank holds. */
export async function runContradictions(
  scene: Scene,
  banks: readonly OtherBank[],
  answered: readonly MerchantCall[],
  contradictions: Contradiction[],
): Promise<void> {
  const desk = createDesk(scene, "contradictions");
  const spoken = new Set<string>();
  while (!scene.over() && banks.length > 0) {
    await desk.rest();
    const id = pick(desk.random, answered)?.body?.id;
    const bank = pick(desk.random, banks);
    if (bank.diedAt() !== null) continue;
    if (id === undefined || spoken.has(id)) continue;
    const paid = await desk.insist<{ status: string; e2eId?: string; amount: number }>((client) =>
      client.get(`/transactions/${id}`),
    );
    const { status, e2eId } = paid.body;
    if (paid.status !== 200 || status !== "completed" || e2eId === undefined) continue;
    spoken.add(id);
    const amountCentavos = Math.round(paid.body.amount * 100);
    const txid = desk.random() < NAMED ? { txid: txidFor(scene.accountNumber, id) } : {};
    const one: Contradiction = { bank, e2eId, amount: amountCentavos, returned: 0, contested: false };
    contradictions.push(one);
    await report(scene, bank, "/pix", { e2eId, amountCentavos, ...txid });
    if (bank.isWhole && desk.random() < CONTESTED) {
      one.contested = true;
      await report(scene, bank, "/infractions", { e2eId });
    }
    if (desk.random() < RETURNED) {
      const back = 1 + Math.floor(desk.random() * amountCentavos);
      await report(scene, bank, `/pix/${e2eId}/med-return`, { amountCentavos: back });
      one.returned = back;
    }
  }
}

async function report(scene: Scene, { name, control }: OtherBank, path: string, body: object): Promise<void> {
  const { status, text } = await control.post(path, body);
  if (status !== 200) scene.findings.push(`bank ${name} could not be made to report ${path}: ${text}`);
}

/** The part of a bank's reported balance that is other banks' Pix. Centavos. */
export const reportedBy = (contradictions: readonly Contradiction[], bank: OtherBank): number =>
  contradictions.reduce((sum, one) => sum + (one.bank === bank ? one.amount - one.returned : 0), 0);

/** Finds reports of another bank's Pix that were booked or have no case, and other differences of books and banks. */
export async function judgeContradictions(
  db: Queries,
  banks: readonly OtherBank[],
  contradictions: readonly Contradiction[],
): Promise<string[]> {
  const findings: string[] = [];
  for (const bank of banks) {
    const { name, institutionId } = bank;
    const own = new Map(contradictions.filter((one) => one.bank === bank).map((one) => [one.e2eId, one]));
    const { rows: booked } = await db.query<{ e2e_id: string; what: string }>(sql`
      select e2e_id, 'a Pix' as what from received_pix where institution_id = ${institutionId}
      union all select e2e_id, 'a return' from psp_returns where institution_id = ${institutionId}
      union all select p.e2e_id, 'a block' from balance_blocks b
        join psp_cases p on p.institution_id = b.institution_id and p.case_id = b.case_id
        where b.institution_id = ${institutionId}`);
    for (const { e2e_id: e2eId, what } of booked)
      if (own.has(e2eId)) findings.push(`${what} of ${e2eId} is booked at ${name}, which the first bank holds`);
    // What a dead bank said last was perhaps never read; its money is judged in death.ts.
    if (bank.diedAt() !== null) continue;
    const { rows: cases } = await db.query<{ object_id: string }>(sql`
      select object_id from cases where institution_id = ${institutionId} and kind = 'reconciliation_difference'`);
    const reported = new Set(cases.map(({ object_id: id }) => id.split(" ").at(-1)!));
    for (const e2eId of own.keys())
      if (!reported.has(e2eId)) findings.push(`${name} speaks of ${e2eId} of the first bank, and no case says so`);
    const { rows } = await db.query<{ psp: number }>(sql`
      select coalesce(-sum(balance), 0)::bigint as psp from ledger_accounts
      where kind = 'psp' and owner_id = ${institutionId}`);
    const [difference, should] = [
      (await fundsOf(bank.control)) - Number(rows[0]!.psp),
      reportedBy(contradictions, bank),
    ];
    if (difference !== should)
      findings.push(`${name} holds ${difference} centavos more than the books say, the logs explain ${should}`);
  }
  return findings;
}
