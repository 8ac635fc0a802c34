import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { Answered, Raw } from "../../http/answer.ts";
import { hasPermission } from "../../http/auth.ts";
import { PathId, ref } from "../../http/contract.ts";
import { attachment, prefers } from "../../http/csv.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { WalletsQuery, walletsOf } from "../../http/pages.ts";
import { PDF, PdfQuery, pdfFile, refuseLong } from "../../http/pdf.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { turnOf } from "../../http/turns.ts";
import { OptionalPageQuery } from "../../http/whole-list.ts";
import { BalanceBlock, BalanceBlockList, DefenseRequest, toBalanceBlock } from "./block.ts";
import { defendKeyedBlock } from "./defend.ts";
import { BalanceBlockFile, gatherDossier } from "./dossier.ts";
import { dossierArchive, dossierPaper } from "./dossier-paper.ts";
import { readContent } from "./files/find.ts";
import { findBlock, listBlocks } from "./list.ts";
import { BLOCK_STATUSES } from "./row.ts";

const ZIP = "application/zip";
const Params = Type.Object({ id: PathId("balance block", "Id of the block.") });

export function blockRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/balance-blocks",
    operationId: "balanceBlocks.list",
    summary: "List the balance blocks",
    description:
      "Money of the wallet that is set aside: a payment that its payer contests (MED), or an order. A block may take the available balance below zero.",
    tag: "Balance blocks",
    permission: "BALANCE_BLOCK:READ",
    query: Type.Object({
      status: Type.Optional(Type.Enum([...BLOCK_STATUSES], { description: "Only this status; left out: all." })),
      ...WalletsQuery,
      ...OptionalPageQuery,
    }),
    answer: ref(BalanceBlockList),
    errors: ["SUB_ACCOUNT_FORBIDDEN"],
    handle: ({ caller, wallet, query }) =>
      listBlocks(ctx.db, walletsOf(caller, wallet, query), query, hasPermission(caller, "TRANSACTION:READ")),
  });

  route({
    method: "GET",
    path: "/balance-blocks/:id",
    operationId: "balanceBlocks.get",
    summary: "Read a balance block",
    tag: "Balance blocks",
    extension: true,
    permission: "BALANCE_BLOCK:READ",
    params: Params,
    answer: ref(BalanceBlock),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params }) {
      const block = await findBlock(ctx.db, { accountId, walletId }, params.id);
      if (block === null) throw notFound("balance block", params.id);
      return toBalanceBlock(block);
    },
  });

  route({
    method: "GET",
    path: "/balance-blocks/:id/file",
    readsHistory: true,
    operationId: "balanceBlocks.gather",
    summary: "Gather the file of a balance block",
    description:
      "All that a defence, a lawyer or the operator may need, in one: the dispute, the payment with its order and payer, what followed from it, its lines of the ledger, the events about it with what their receivers answered, and the head of the audit log. `Accept: application/pdf` gives it as a paper, `application/zip` the paper with its data (`dispute.pdf`, `dispute.json`, whose SHA-256 the paper bears) and the files that were added as evidence. Payment, ledger and events need `TRANSACTION:READ`, `ACCOUNT:READ` and `WEBHOOK:READ`; `leftOut` says which the caller lacks.",
    tag: "Balance blocks",
    extension: true,
    permission: "BALANCE_BLOCK:READ",
    params: Params,
    query: Type.Object(PdfQuery),
    answer: ref(BalanceBlockFile),
    alsoAs: { [PDF]: "The file as a paper.", [ZIP]: "The paper, its data and the files." },
    errors: ["RESOURCE_NOT_FOUND", "VALIDATION_ERROR", "PDF_TOO_LONG"],
    async handle({ caller, wallet: { walletId }, params, query, accept }) {
      const block = await findBlock(ctx.db, { accountId: caller.accountId, walletId }, params.id);
      if (block === null) throw notFound("balance block", params.id);
      const file = await gatherDossier(ctx, caller, block);
      const { language = "pt-BR" } = query;
      const as = prefers(accept, [PDF, ZIP]);
      const paperInTurn = () => ctx.turns.take(turnOf(caller.accountId), () => dossierPaper(file, language));
      if (as === PDF) return pdfFile("dispute", paperInTurn());
      if (as === ZIP) {
        const read = (fileId: string) => readContent(ctx, block, fileId);
        const paper = await refuseLong(paperInTurn());
        return new Raw(ZIP, dossierArchive(file, paper, read), attachment("dispute.zip"));
      }
      return file;
    },
  });

  route({
    method: "POST",
    path: "/balance-blocks/:id/defense",
    operationId: "balanceBlocks.defend",
    final: "A defence that was sent cannot be changed.",
    summary: "Send a defence against a block",
    description:
      "Once, and before `respondBy`. The block is `defended` from then on, and its PSP is notified; what the PSP decides ends it.",
    tag: "Balance blocks",
    extension: true,
    permission: "BALANCE_BLOCK:WRITE",
    fresh: { not: "it answers a dispute and moves no money" },
    params: Params,
    body: ref(DefenseRequest),
    example: { text: "O produto foi entregue em 12/03; segue o comprovante de entrega." },
    answer: ref(BalanceBlock),
    errors: ["RESOURCE_NOT_FOUND", "BALANCE_BLOCK_NOT_DEFENDABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body, keyed, toAnswer }) {
      const blockId = params.id;
      const { rows } = await ctx.db.query<{ e2e_id: string | null }>(sql`
        select e2e_id from balance_blocks
        where account_id = ${accountId} and block_id = ${blockId} and wallet_id = ${walletId}`);
      if (!rows[0]) throw notFound("balance block", params.id);
      const defended = await ctx.lanes.run(defendKeyedBlock, {
        accountId,
        objectId: ctx.ids.uuid(),
        keyed,
        toAnswer,
        command: { accountId, walletId, blockId, e2eId: rows[0].e2e_id, text: body.text },
      });
      if (defended instanceof ApiError) throw defended;
      ctx.hints.wake("defences");
      return new Answered(defended.answer, defended.replayed);
    },
  });
}
