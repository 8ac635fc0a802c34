import { randomUUID } from "node:crypto";
import { record } from "../books/journal.ts";
import type { Change } from "../books/state.ts";
import { sendPlanned } from "../callbacks/plan.ts";
import type { Context } from "../context.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { note } from "../log/log.ts";
import type { Pix } from "../pix/pix.ts";
import { leftFor, planMedReturn } from "../returns/med.ts";
import { type Infraction, type InfractionStatus, isOpen } from "./infraction.ts";

/** How long a receiver has to defend itself when nobody says otherwise; banks give less than the seven days of the rule. */
const DEFENCE_MS = 5 * 24 * 60 * 60 * 1000;
/** For how long a PSP may hold a Pix by itself (Resolução BCB 506). */
const PRECAUTIONARY_MS = 72 * 60 * 60 * 1000;
const FIRST_PROTOCOL = 10_000_001;

type Contest = { amountCentavos?: number; reason?: string; respondBy?: number; precautionary?: true };

/** The payer's bank reports a Pix, or the PSP holds it by itself: one open case for each, of no more than the Pix. */
export function openInfraction(ctx: Context, pix: Pix, contest: Contest): Infraction | "tooMuch" | "open" {
  const { infractions } = ctx.books.state;
  const amountCentavos = contest.amountCentavos ?? pix.amountCentavos;
  if (amountCentavos > pix.amountCentavos) return "tooMuch";
  if (hasOpenCase(ctx, pix.endToEndId)) return "open";

  const now = ctx.now();
  const infraction: Infraction = {
    idInfracao: randomUUID(),
    endToEndId: pix.endToEndId,
    protocolo: FIRST_PROTOCOL + infractions.size,
    amountCentavos,
    chave: pix.chave,
    status: "ABERTA",
    razao: contest.reason ?? "Suspeita de fraude",
    ...(contest.precautionary && { precautionary: true as const }),
    openedAt: now,
    updatedAt: now,
    respondBy: contest.respondBy ?? now + (contest.precautionary ? PRECAUTIONARY_MS : DEFENCE_MS),
  };
  return recordOpen(ctx, infraction, "infraction.opened");
}

/**
 * The payer's bank contests again: a closed case is open once more, under its id. What was to be returned of it is not. Or it
 * contests what the PSP held by itself.
 */
export function reopenInfraction(ctx: Context, before: Infraction): Infraction | "open" {
  const isHeld = isOpen(before) && before.precautionary;
  if (!isHeld && hasOpenCase(ctx, before.endToEndId)) return "open";
  const { closedAt: _closed, returnDue: _due, justificativaAnalista: _words, defence: _defence, ...reported } = before;
  const { precautionary: _held, ...rest } = reported;
  const now = ctx.now();
  const infraction: Infraction = { ...rest, status: "ABERTA", updatedAt: now, respondBy: now + DEFENCE_MS };
  return recordOpen(ctx, infraction, "infraction.reopened");
}

/** The payer's bank contests another amount, or the time for a defence moves: so it is with the open case from now on. */
export function changeInfraction(
  ctx: Context,
  before: Infraction,
  change: { readonly amountCentavos: number; readonly respondBy?: number },
): Infraction | "tooMuch" | "closed" {
  if (!isOpen(before)) return "closed";
  if (change.amountCentavos > ctx.books.state.pix.get(before.endToEndId)!.amountCentavos) return "tooMuch";
  return recordOpen(ctx, { ...before, ...change, updatedAt: ctx.now() }, "infraction.changed");
}

function hasOpenCase(ctx: Context, e2eId: string): boolean {
  const { infractions, openInfractions } = ctx.books.state;
  return [...openInfractions].some((id) => infractions.get(id)!.endToEndId === e2eId);
}

function recordOpen(ctx: Context, infraction: Infraction, type: string): Infraction {
  const entry = { ...described(infraction), respondBy: formatTimestamp(infraction.respondBy) };
  record(ctx.books, { infraction, note: note(ctx.log, type, entry) });
  return infraction;
}

const END = { accepted: "ACEITA", rejected: "REJEITADA", cancelled: "CANCELADA_EFI" } as const;
const RESOLUTION: Record<keyof typeof END, string> = {
  accepted: "Fraude confirmada",
  rejected: "Fraude não confirmada",
  cancelled: "Relato cancelado pelo banco do pagador",
};

/**
 * Ends a case. Accepted, the PSP returns the contested amount to the payer, as far as the Pix and the account still have
 * it: in the same stroke, or later and in part where the behaviour says so. Undefined when the case was closed already.
 *
 * @param returnCentavos what the PSP returns of an accepted case, instead of what the behaviour says; 0: nothing.
 */
export function resolveInfraction(
  ctx: Context,
  before: Infraction,
  outcome: keyof typeof END,
  returnCentavos?: number,
): Infraction | undefined {
  if (!isOpen(before)) return undefined;
  const now = ctx.now();
  const { delayMs, percent } = ctx.books.state.behaviour.medReturn;
  const status: InfractionStatus = END[outcome];
  const due = outcome === "accepted" ? (returnCentavos ?? Math.floor((before.amountCentavos * percent) / 100)) : 0;
  const closed: Infraction = {
    ...before,
    status,
    updatedAt: now,
    closedAt: now,
    justificativaAnalista: RESOLUTION[outcome],
    ...(due > 0 && delayMs > 0 ? { returnDue: { at: now + delayMs, amountCentavos: due } } : {}),
  };
  if (closed.returnDue) {
    const entry = { ...described(closed), returnedCentavos: 0, returnDue: closed.returnDue };
    record(ctx.books, { infraction: closed, note: note(ctx.log, "infraction.closed", entry) });
    scheduleMedReturn(ctx, closed);
    return closed;
  }
  recordReturned(ctx, closed, due, (returnedCentavos) =>
    note(ctx.log, "infraction.closed", { ...described(closed), returnedCentavos }),
  );
  return closed;
}

/** Records a case together with the PSP's own return of it, if anything is left to return. */
function recordReturned(
  ctx: Context,
  infraction: Infraction,
  due: number,
  noteOf: (returnedCentavos: number) => NonNullable<Change["note"]>,
): void {
  const pix = ctx.books.state.pix.get(infraction.endToEndId)!;
  const returned = Math.max(0, Math.min(due, leftFor(ctx, pix)));
  const noted = noteOf(returned);
  if (returned === 0) {
    record(ctx.books, { infraction, note: noted });
    return;
  }
  const med = planMedReturn(ctx, pix, returned);
  record(ctx.books, { infraction, ...med.change, notes: [noted] });
  sendPlanned(ctx, med.plan);
}

function scheduleMedReturn(ctx: Context, { idInfracao, returnDue }: Infraction): void {
  if (!returnDue) return;
  setTimeout(
    () => {
      const present = ctx.books.state.infractions.get(idInfracao);
      if (ctx.sender.stopped || present?.returnDue?.at !== returnDue.at) return;
      const { returnDue: due, ...infraction } = present;
      recordReturned(ctx, infraction, due.amountCentavos, (returnedCentavos) =>
        note(ctx.log, "infraction.returned", { ...described(infraction), returnedCentavos }),
      );
    },
    Math.max(0, returnDue.at - ctx.now()),
  ).unref();
}

/** Resumes the returns of accepted cases that were still to come when the process last ended. */
export function resumeMedReturns(ctx: Context): void {
  for (const infraction of ctx.books.state.infractions.values()) scheduleMedReturn(ctx, infraction);
}

function described(infraction: Infraction): Record<string, unknown> {
  return {
    id: infraction.idInfracao,
    e2eId: infraction.endToEndId,
    amountCentavos: infraction.amountCentavos,
    status: infraction.status,
  };
}
