import { type Static, Type } from "typebox";
import { bigint, instant, json, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";
import { AnswerObject, Brl, component, FreeObject, OPEN, RequestObject, Words } from "../../http/contract.ts";
import { Metadata } from "../../http/metadata.ts";
import { pageOf } from "../../http/pages.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { qrDataUri, qrSvg } from "../../lib/qr.ts";
import { Figures } from "../../transactions/figures.ts";

/**
 * The life of a code that stays:
 *
 * - `active`: its Pix are payments in time.
 * - `disabled`: paper cannot be called back, so Pix still come. They are late payments (policy `latePayments`). A disabled till
 *   takes no charge.
 * - `deleted`: the same, and hidden from reads. Final.
 */
const STATUSES = ["active", "disabled", "deleted"] as const;
const KINDS = ["static", "till"] as const;

const Kind = Type.Enum([...KINDS], {
  ...OPEN,
  type: "string",
  description:
    "`static`: anybody pays it, any number of times; each Pix is a payment of its own. `till`: it shows the charge that `POST /pix` has put on it.",
});
const CodeName = Words({ maxLength: 100, description: "For your own use: a table, a counter, a campaign." });
const metadata = Metadata("Free key-value pairs, returned as they came; each payment of the code has them.");

export const QrCodeRequest = RequestObject("QrCodeRequest", "A QR code to print.", {
  kind: Kind,
  name: CodeName,
  amount: Type.Optional(
    Brl({
      minimum: 1,
      description:
        "What each Pix has to be, BRL; left out: the payer decides. Not of a till, whose charges have amounts.",
    }),
  ),
  description: Type.Optional(
    Words({
      maxLength: 140,
      description:
        "What is paid for, as each payment has it. The code itself shows as much of it as fits, in capitals.",
    }),
  ),
  projectId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Project that tags the payments; left out: the wallet's only one.",
    }),
  ),
  metadata: Type.Optional(metadata),
});
export type QrCodeRequest = Static<typeof QrCodeRequest>;

export const QrCodePatch = component(
  "QrCodePatch",
  Type.Object(
    {
      name: Type.Optional(CodeName),
      status: Type.Optional(
        Type.Enum(["active", "disabled"], {
          type: "string",
          description: "`disabled`: a Pix that comes all the same counts as paid late (policy `latePayments`).",
        }),
      ),
      metadata: Type.Optional(metadata),
    },
    { additionalProperties: false, minProperties: 1, description: "What changes; what is printed cannot." },
  ),
);
export type QrCodePatch = Static<typeof QrCodePatch>;

export const QrCode = AnswerObject("QrCode", "A QR code that stays: it is printed once and paid often.", {
  id: Type.String({ format: "uuid", description: "Id of the code; its payments have it as `qrCodeId`." }),
  kind: Kind,
  status: Type.Enum(["active", "disabled"], {
    ...OPEN,
    type: "string",
    description: "Whether it takes payments, or a till charges.",
  }),
  name: Type.String({ description: "As in the request." }),
  amount: Type.Optional(Type.Number({ description: "What each Pix has to be, BRL; left out: the payer decides." })),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  description: Type.Optional(Type.String({ description: "As in the request." })),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags its payments." })),
  metadata: Type.Optional(FreeObject({ description: "As in the request." })),
  txid: Type.Optional(
    Type.String({ description: "Of a static code: its id in the PIX network, which each of its Pix carries." }),
  ),
  pixCopyPaste: Type.String({ description: "The PIX copy-and-paste code (BR Code)." }),
  qrCodeBase64: Type.Optional(
    Type.String({ description: "The code as a QR image: a PNG as a data URI. Not in lists." }),
  ),
  qrCodeSvg: Type.Optional(
    Type.String({ description: "The code as a QR image: an SVG, sharp in print at any size. Not in lists." }),
  ),
  pspCredentialId: Type.String({ format: "uuid", description: "The institution that receives its Pix." }),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
  ...Figures,
});
export type QrCode = Static<typeof QrCode>;

export const QrCodePage = pageOf(QrCode, "A page of a wallet's codes, without images.");

/**
 * The table of codes. Money commands read them without a lock: whether a Pix was late depends on its own time, so a change in
 * the same moment may come before or after it.
 */
export const qrCodesTable = laneTable(
  table({
    name: "qr_codes",
    key: ["accountId", "qrCodeId"],
    columns: {
      accountId: uuid,
      qrCodeId: uuid,
      walletId: uuid,
      institutionId: uuid,
      kind: oneOf(KINDS),
      name: text,
      amount: nullable(bigint),
      description: nullable(text),
      projectId: nullable(uuid),
      metadata: nullable(json<Readonly<Record<string, unknown>>>()),
      /** Of a static code. */
      txid: nullable(text),
      /** Of a till: the institution's id of the location. */
      locationId: nullable(text),
      pixCopyPaste: text,
      status: oneOf(STATUSES),
      /** Since when its Pix are late. */
      closedAt: nullable(instant),
      /** The earlier times in which it was disabled, oldest first. */
      offPeriods: json<readonly (readonly [from: string, to: string])[]>(),
      createdAt: instant,
      updatedAt: instant,
    },
  }),
  { order: 90, load: "plain", without: ["kind", "locationId", "status", "createdAt", "updatedAt"] },
);
export type QrCodeColumns = RowOf<typeof qrCodesTable.columns>;
/** A code as money commands see it. */
export type QrCodeRow = RowIn<typeof qrCodesTable>;

/**
 * Since when the code was off at this time; null: it was on. The time of a Pix decides, not that of its report, so a code that is
 * active again remembers when it was not.
 */
export function offSince({ closedAt, offPeriods }: Pick<QrCodeRow, "closedAt" | "offPeriods">, at: Date): Date | null {
  const ended = offPeriods.find(([from, to]) => new Date(from) < at && at < new Date(to));
  if (ended) return new Date(ended[0]);
  return closedAt !== null && closedAt < at ? closedAt : null;
}

/** The code as lists show it. */
export const toListed = (row: QrCodeColumns): QrCode =>
  present({
    id: row.qrCodeId,
    kind: row.kind,
    // A deleted one is not shown.
    status: row.status === "active" ? "active" : "disabled",
    name: row.name,
    amount: toBrl(row.amount),
    currency: "BRL",
    description: row.description,
    projectId: row.projectId,
    metadata: row.metadata,
    txid: row.txid,
    pixCopyPaste: row.pixCopyPaste,
    pspCredentialId: row.institutionId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

/** The code with its images. */
export const toQrCode = (row: QrCodeColumns): QrCode => ({
  ...toListed(row),
  qrCodeBase64: qrDataUri(row.pixCopyPaste),
  qrCodeSvg: qrSvg(row.pixCopyPaste),
});
