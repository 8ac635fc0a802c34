import { accountsTable } from "../accounts/account.ts";
import { walletsTable } from "../accounts/wallet.ts";
import { auditTable } from "../audit-log/write.ts";
import { type ApiError, invalid, notFound } from "../http/errors.ts";
import { insert } from "../ledger/books.ts";
import { available, held } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { digestOfAsked } from "../lib/asked-digest.ts";
import { documentKind } from "../lib/documents.ts";
import { ERASED } from "../lib/erased.ts";
import { timeOf } from "../lib/ids.ts";
import type { PspPayout } from "../psp/psp.ts";
import { count } from "./ending.ts";
import { priceOf } from "./price.ts";
import { showReference } from "./reference.ts";
import { wantNew } from "./request.ts";
import { NEW_TO_THE_BOOKS, type WithdrawalRow, withdrawalsTable } from "./withdrawal.ts";

/** A payout of ours that an institution shows and restored books lack. */
type AdoptWithdrawal = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly institutionId: string;
  readonly payout: PspPayout;
  readonly externalReference: string | null;
  /** Name of the operator. */
  readonly actor: string;
  readonly proposalId: string;
};

/**
 * Books a payout that was lost with the rows after a backup, as one whose request has left. The loop then queries it and
 * books its end like any other. Its receiver's key is not known any more. The wallet pays whatever its balance is, because
 * the money has left.
 */
export const adoptWithdrawal: CommandKind<AdoptWithdrawal, { readonly status: string } | ApiError> = {
  name: "adopt withdrawal",
  wants: wantNew,
  decide(command, books, { now, newId }) {
    const { accountId, withdrawalId, walletId, payout, actor, proposalId } = command;
    const known = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (known) return { result: { status: known.status } };
    const settings = books.find(accountsTable, { accountId, id: accountId });
    if (!settings) return { result: notFound("account", accountId) };
    if (!books.find(walletsTable, { accountId, id: walletId })) return { result: notFound("wallet", walletId) };
    const price = priceOf(settings.fees.withdrawal, { netAmount: payout.amount });
    if (price === null) return { result: invalid("amount", "needs more with its fee than a withdrawal may take") };
    const createdAt = new Date(Math.min(timeOf(withdrawalId), now.getTime()));
    const document = payout.receiver?.document ?? ERASED;
    const asked = {
      ...{ accountId, withdrawalId, walletId, institutionId: command.institutionId, pspId: payout.id, ...price },
      ...{ pixKey: ERASED, pixKeyType: "random" as const, holderName: payout.receiver?.name ?? ERASED },
      ...{ holderDocument: document, holderDocumentType: documentKind(document) ?? "cpf" },
    };
    const row: WithdrawalRow = {
      ...{ ...asked, askedDigest: digestOfAsked(asked), status: "processing" },
      ...NEW_TO_THE_BOOKS,
      ...{ projectId: null, externalReference: command.externalReference, idempotencyKey: null },
      e2eId: payout.e2eId ?? null,
      routing: null,
      ...{ createdBy: null, createdByOwners: null, awaitingApproval: false, approvedAt: null, holdUntil: null },
      ...{ countedAt: createdAt, limitedUntil: null },
      ...{ adopted: true, unconfirmedSince: now, mayHaveLeft: true },
      ...{ nextAt: now, attempts: 0, createdAt, updatedAt: now },
    };
    const log = {
      ...{
        accountId,
        auditId: newId(),
        actor,
        action: "withdrawal.adopt" as const,
        objectId: withdrawalId,
        before: null,
      },
      ...{ after: { amount: row.amount, walletId, proposalId }, createdAt: now },
    };
    return {
      result: { status: row.status },
      transfers: [
        {
          ...{ accountId, kind: "withdrawal_held", sourceId: withdrawalId, leg: 0, amount: row.amount },
          ...{ from: available(walletId), to: held(walletId), occurredAt: now },
        },
      ],
      writes: [
        insert(withdrawalsTable, row),
        ...showReference(row),
        ...count(row, 1, books, now),
        insert(auditTable, log),
      ],
    };
  },
};
