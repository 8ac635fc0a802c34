/** Withdrawals on the desk: asked for, and shown by their institution. */
import { available, operator } from "../../src/ledger/chart.ts";
import type { CommandKind } from "../../src/ledger/lane.ts";
import type { PspPayout } from "../../src/psp/psp.ts";
import { limitsTable, type WithdrawalLimits } from "../../src/withdrawals/limits.ts";
import type { RequestWithdrawal } from "../../src/withdrawals/request.ts";
import type { ResolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { type WithdrawalRow, withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { ACCOUNT, at, BANK, Desk, object } from "./desk.ts";

export const WITHDRAWAL = object(1);
export const fee = (fixed: number) => ({ fees: { withdrawal: { fixed, percentBps: 0 } } });
export const NO_LIMITS: WithdrawalLimits = {
  accountId: ACCOUNT,
  perWithdrawal: null,
  perDay: null,
  perNight: null,
  hours: new Map(),
};

/** Gives a wallet money. */
const give: CommandKind<{ accountId: string; walletId: string; amount: number }, null> = {
  name: "give",
  wants: ({ accountId, walletId }, want) => {
    want.ledger(accountId, operator);
    want.ledger(accountId, available(walletId));
  },
  decide: ({ accountId, walletId, amount }, _, { now, newId }) => ({
    result: null,
    transfers: [
      { accountId, kind: "adjustment", sourceId: newId(), leg: 0, amount, from: operator, to: available(walletId), occurredAt: now },
    ],
  }),
}; // biome-ignore format: one row

export const ask = (changes: Partial<RequestWithdrawal> = {}): RequestWithdrawal => ({
  accountId: ACCOUNT,
  withdrawalId: WITHDRAWAL,
  walletId: ACCOUNT,
  pixKey: "ana@example.com",
  pixKeyType: "email",
  holderName: "Ana",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
  projectId: null,
  externalReference: null,
  idempotencyKey: null,
  institutionId: BANK,
  environment: "sandbox",
  asked: { amount: 400 },
  ...changes,
});

export function open(settings: ConstructorParameters<typeof Desk>[0] = {}, money = 1_000): Desk {
  const desk = new Desk(settings).put(limitsTable, ACCOUNT, NO_LIMITS);
  if (money > 0) desk.run("given", give, { accountId: ACCOUNT, walletId: ACCOUNT, amount: money });
  return desk.begin();
}

export const row = (desk: Desk): WithdrawalRow => desk.find(withdrawalsTable, WITHDRAWAL);
/** The PSP shows it. */
export function shown(
  desk: Desk,
  payout: Partial<PspPayout>,
  changes: Partial<ResolveWithdrawal> = {},
): ResolveWithdrawal {
  const { pspId: id, netAmount: amount } = row(desk);
  const reported = {
    kind: "shown" as const,
    payout: { id, amount, status: "settled" as const, returns: [], ...payout },
  };
  return {
    accountId: ACCOUNT,
    withdrawalId: WITHDRAWAL,
    institutionId: BANK,
    environment: "sandbox",
    reported,
    ...changes,
  };
}
export const refused = (desk: Desk, code: string, reason: string): ResolveWithdrawal =>
  shown(
    desk,
    {},
    { reported: { kind: "refused", pspId: row(desk).pspId, code, reason, attempts: row(desk).attempts } },
  );
export const back = (n: number, amount: number, time: string) => ({ rtrId: `D${n}`, amount, returnedAt: at(time) });
