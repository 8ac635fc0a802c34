import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { PathId, ref } from "../../http/contract.ts";
import { prefers } from "../../http/csv.ts";
import { PageQuery } from "../../http/pages.ts";
import { PDF, PdfQuery, pdfFile } from "../../http/pdf.ts";
import type { MerchantGiven, MerchantRoutes } from "../../http/scopes/merchant.ts";
import { turnOf } from "../../http/turns.ts";
import { asksFigures, FiguresQuery, withFigures } from "../../transactions/figures.ts";
import { changeQrCode, deleteQrCode } from "./change.ts";
import { printCode, requireRoom, storeQrCode } from "./create.ts";
import { findQrCode, listQrCodes, type Owner } from "./find.ts";
import { makePoster } from "./poster.ts";
import { QrCode, QrCodePage, QrCodePatch, QrCodeRequest, toQrCode } from "./qr-code.ts";

const Params = Type.Object({ id: PathId("QR code", "Id of the code.") });
const common = { tag: "QR codes", extension: true } as const;
const fresh = { not: "it asks for money and moves none" } as const;

const ownerOf = ({ caller, wallet }: MerchantGiven): Owner => ({
  accountId: caller.accountId,
  walletId: wallet.walletId,
});

export function qrCodeRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    ...common,
    method: "POST",
    path: "/qr-codes",
    operationId: "qrCodes.create",
    summary: "Make a QR code to print",
    waitsOutside: true,
    description:
      "A static code is paid any number of times. Each Pix is a payment of its own, with `qrCodeId`: `payment_completed` reports it, `GET /transactions?qrCodeId=` lists them. A till shows the charge that `POST /pix` has put on it by `qrCodeId`, and between two charges nothing.",
    permission: "PIX:WRITE",
    fresh,
    body: ref(QrCodeRequest),
    example: { kind: "static", name: "Tips, counter 1", description: "Tip" },
    status: 201,
    answer: ref(QrCode),
    errors: ["RESOURCE_NOT_FOUND", "QR_CODE_LIMIT", "NOT_SUPPORTED_BY_INSTITUTION", "PSP_UNAVAILABLE"],
    async handle(call) {
      await requireRoom(ctx.db, ownerOf(call));
      const printed = await printCode(ctx, call.caller, call.body);
      return call.transact((tx) => storeQrCode(ctx, tx, ownerOf(call), call.body, printed));
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/qr-codes",
    operationId: "qrCodes.list",
    summary: "List the QR codes of a wallet",
    permission: "TRANSACTION:READ",
    readsHistory: asksFigures,
    query: Type.Object({ ...FiguresQuery, ...PageQuery }),
    answer: ref(QrCodePage),
    errors: ["VALIDATION_ERROR"],
    async handle(call) {
      const { figures = false, ...query } = call.query;
      const listed = await listQrCodes(ctx.db, ownerOf(call), query);
      if (!figures) return listed;
      return {
        ...listed,
        items: await withFigures(ctx.history, ownerOf(call), "qrCode", listed.items, ctx.clock.now()),
      };
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/qr-codes/:id",
    operationId: "qrCodes.get",
    summary: "Read a QR code",
    description:
      "`Accept: application/pdf` gives a poster to print, with the code, what it is for, how to pay, and whose name the payer's bank shows.",
    permission: "TRANSACTION:READ",
    params: Params,
    query: Type.Object({
      size: Type.Optional(Type.Enum(["A4", "A6"], { type: "string", description: "Of the poster; left out: `A4`." })),
      ...PdfQuery,
    }),
    answer: ref(QrCode),
    alsoAs: { [PDF]: "The poster, a page of that size." },
    errors: ["RESOURCE_NOT_FOUND", "VALIDATION_ERROR"],
    async handle(call) {
      const code = await findQrCode(ctx.db, ownerOf(call), call.params.id);
      if (prefers(call.accept, [PDF]) === null) return toQrCode(code);
      return pdfFile(
        "poster",
        ctx.turns.take(turnOf(code.accountId), () => makePoster(ctx, code, call.query)),
      );
    },
  });

  route({
    ...common,
    method: "PATCH",
    path: "/qr-codes/:id",
    operationId: "qrCodes.update",
    summary: "Change a QR code",
    description:
      "Only the fields that are sent change. What is printed (amount, description) stays. Paper cannot be called back: a Pix that comes while the code is `disabled` counts as paid late, which the policy `latePayments` credits or returns.",
    permission: "PIX:WRITE",
    fresh,
    params: Params,
    body: ref(QrCodePatch),
    example: { status: "disabled" },
    answer: ref(QrCode),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => call.transact((tx) => changeQrCode(ctx, tx, ownerOf(call), call.params.id, call.body)),
  });

  route({
    ...common,
    method: "DELETE",
    path: "/qr-codes/:id",
    operationId: "qrCodes.delete",
    final: "It cannot be made active again; Pix by copies of it count as paid late.",
    summary: "Delete a QR code",
    description: "It is shown no more. Its payments stay, and a Pix that comes all the same counts as paid late.",
    permission: "PIX:WRITE",
    fresh,
    params: Params,
    status: 204,
    errors: ["RESOURCE_NOT_FOUND"],
    async handle(call) {
      await ctx.db.transaction((tx) => deleteQrCode(ctx, tx, ownerOf(call), call.params.id));
      return null;
    },
  });
}
