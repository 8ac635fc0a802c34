import { randomUUID } from "node:crypto";
import { fundsCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import { sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import { planMedReturn } from "../returns/med.ts";
import { claimedCentavos } from "../returns/return.ts";
import { type Infraction, type InfractionStatus, isOpen } from "./infraction.ts";

/** How long a receiver has to defend itself when nobody says otherwise; banks give less than the seven days of the rule. */
const DEFENCE_MS = 5 * 24 * 60 * 60 * 1000;
const FIRST_PROTOCOL = 10_000_001;

type Contest = { amountCentavos?: number; reason?: string; respondBy?: number };

/** The payer's bank reports a Pix: one open case for each, of no more than the Pix. */
export function openInfraction(ctx: Context, pix: Pix, contest: Contest): Infraction | "tooMuch" | "open" {
  const { infractions, openInfractions } = ctx.books.state;
  const amountCentavos = contest.amountCentavos ?? pix.amountCentavos;
  if (amountCentavos > pix.amountCentavos) return "tooMuch";
  for (const id of openInfractions) if (infractions.get(id)!.endToEndId === pix.endToEndId) return "open";

  const now = ctx.now();
  const infraction: Infraction = {
    idInfracao: randomUUID(),
    endToEndId: pix.endToEndId,
    protocolo: FIRST_PROTOCOL + infractions.size,
    amountCentavos,
    chave: pix.chave,
    status: "ABERTA",
    razao: contest.reason ?? "Suspeita de fraude",
    openedAt: now,
    updatedAt: now,
    respondBy: contest.respondBy ?? now + DEFENCE_MS,
  };
  const entry = { ...described(infraction), respondBy: formatTimestamp(infraction.respondBy) };
  record(ctx.books, { infraction, note: note(ctx.log, "infraction.opened", entry) });
  return infraction;
}

const END = { accepted: "ACEITA", rejected: "REJEITADA", cancelled: "CANCELADA_EFI" } as const;
const RESOLUTION: Record<keyof typeof END, string> = {
  accepted: "Fraude confirmada",
  rejected: "Fraude não confirmada",
  cancelled: "Relato cancelado pelo banco do pagador",
};

/**
 * Ends a case. Accepted, the PSP gives the contested amount back to the payer in the same stroke, as far as the Pix and
 * the account still have it. Undefined when the case was closed already.
 */
export function resolveInfraction(ctx: Context, before: Infraction, outcome: keyof typeof END): Infraction | undefined {
  if (!isOpen(before)) return undefined;
  const now = ctx.now();
  const status: InfractionStatus = END[outcome];
  const closed: Infraction = {
    ...before,
    status,
    updatedAt: now,
    closedAt: now,
    justificativaAnalista: RESOLUTION[outcome],
  };
  const pix = ctx.books.state.pix.get(before.endToEndId)!;
  const left = Math.min(pix.amountCentavos - claimedCentavos(pix.returns), fundsCentavos(ctx.books.state));
  const givenBack = outcome === "accepted" ? Math.min(before.amountCentavos, left) : 0;
  const entry = { ...described(closed), returnedCentavos: givenBack };
  const noted = note(ctx.log, "infraction.closed", entry);
  if (givenBack <= 0) {
    record(ctx.books, { infraction: closed, note: noted });
    return closed;
  }
  const med = planMedReturn(ctx, pix, givenBack);
  record(ctx.books, { infraction: closed, ...med.change, notes: [noted] });
  sendPlanned(ctx, med.plan);
  return closed;
}

function described(infraction: Infraction): Record<string, unknown> {
  return {
    id: infraction.idInfracao,
    e2eId: infraction.endToEndId,
    amountCentavos: infraction.amountCentavos,
    status: infraction.status,
  };
}
