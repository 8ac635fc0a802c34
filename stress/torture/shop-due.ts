/** Charges with a due date: paid early, on the day, late, after a change of their terms, and with what no day explains. */

import { dayOf, daysAfter } from "../../gateway/src/lib/days.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { pick } from "../harness/random.ts";
import type { Counter, Parts, Sale } from "./shop-log.ts";

/** A program's clock is minutes wrong: near midnight the next day is asked for. */
const MARGIN = 900_000;

const CASES = ["on the day", "abated", "early", "late", "edited", "edited", "too little"] as const;
/** Centavos less, by the terms of an edit. */
export const LESS = 500;
/** A bank that does not answer is not asked for ever: an edit has 20 requests at most. */
const MOST_TRIES = 5;

/** Makes a charge and pays it. What the bank asks for is known by hand here. */
export async function sellDue(counter: Counter): Promise<Sale | null> {
  const { desk, scene, shop, bank } = counter;
  const one = pick(desk.random, CASES);
  // Whole tens, so that ten percent need no rounding.
  const asked = 10 * (100 + Math.floor(desk.random() * 2_000));
  const day = dayOf(new Date(Date.now() + MARGIN));
  const none: Parts = { original: asked, fine: 0, interest: 0, discount: 0, abatement: 0 };
  const terms = { fine: { percent: 2 }, interest: { percent: 1, per: "month" } };
  const of = {
    "on the day": { due: { date: day, ...terms }, parts: none },
    abated: { due: { date: day, abatement: { fixed: 5 } }, parts: { ...none, abatement: 500 } },
    early: {
      due: { date: daysAfter(day, 20), discount: { until: [{ date: daysAfter(day, 10), percent: 10 }] } },
      parts: { ...none, discount: asked / 10 },
    },
    // The bank has a calendar of its own, and what it says of the amount is believed.
    late: { due: { date: day, ...terms }, parts: { ...none, fine: 37, interest: 11 } },
    edited: { due: { date: day, ...terms }, parts: none },
    "too little": { due: { date: day, ...terms }, parts: none },
  }[one];
  const body = {
    amount: asked / 100,
    description: "an invoice",
    customer: { name: "Maria Silva", document: "12345678909" },
    due: of.due,
  };
  const headers = counter.key();
  const made = await desk.insist<{ id: string }>((client) => client.post("/pix", body, headers));
  if (made.status !== 201) {
    scene.findings.push(`a charge with a due date was answered ${made.status}: ${made.text}`);
    return null;
  }
  const txid = txidFor(shop.number, made.body.id);
  if (one === "edited") return payEdited(counter, { id: made.body.id, txid, asked, day, parts: none });
  const { original, fine, interest, discount, abatement } = of.parts;
  const amount = original + fine + interest - discount - abatement - (one === "too little" ? 1 : 0);
  const composition = { original, multa: fine, juros: interest, desconto: discount, abatimento: abatement };
  const paid = await bank.post<{ e2eId: string }>(`/charges/${txid}/pay`, {
    ...(one === "late" && { composition }),
    ...(one === "too little" && { amountCentavos: amount }),
  });
  if (paid.status !== 200) {
    scene.findings.push(`${txid}, with a due date, could not be paid: ${paid.text}`);
    return null;
  }
  // Efí explains no amount: what no day explains either is not believed.
  const isSilent = shop.bank?.isWhole === true;
  const fate = one === "too little" || (one === "late" && isSilent) ? "returned" : "credited";
  const due = { asked, parts: isSilent ? null : of.parts };
  return { way: "due", e2eId: paid.body.e2eId, amount, txid, about: null, fate, due };
}

type Edited = {
  readonly id: string;
  readonly txid: string;
  readonly asked: number;
  readonly day: string;
  readonly parts: Parts;
};

/** Changes the terms, and pays by those that the bank has: the new ones, once that is answered; else either. */
async function payEdited(counter: Counter, { id, txid, asked, day, parts }: Edited): Promise<Sale | null> {
  const { desk, scene, shop, bank, log } = counter;
  const due = { date: day, abatement: { fixed: LESS / 100 } };
  let tries = 0;
  const { status } = await desk.insist(async (client) => {
    const reply = await client.patch(`/pix/${id}`, { due });
    tries += 1;
    return reply.status >= 500 && tries >= MOST_TRIES ? { ...reply, status: 400 } : reply;
  });
  const isMade = status === 200;
  log.edits.push({ chargeId: id, isMade });
  const paid = await bank.post<{ e2eId: string; valor: string }>(`/charges/${txid}/pay`, {});
  if (paid.status !== 200) {
    scene.findings.push(`${txid}, whose due date was changed, could not be paid: ${paid.text}`);
    return null;
  }
  const amount = Math.round(Number(paid.body.valor) * 100);
  if (amount !== asked - LESS && (isMade || amount !== asked))
    scene.findings.push(`${txid} of ${asked}, changed to ${LESS} less (${status}), was paid with ${amount}`);
  const composed = { ...parts, abatement: asked - amount };
  const isSilent = shop.bank?.isWhole === true;
  return {
    ...{ way: "due", e2eId: paid.body.e2eId, amount, txid, about: null, fate: "credited" },
    due: { asked, parts: isSilent ? null : composed },
  };
}
