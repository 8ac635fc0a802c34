import { Type } from "typebox";
import { personIdOf } from "../audit-log/person-id.ts";
import { audit } from "../audit-log/write.ts";
import type { Tx } from "../db/pool.ts";
import { onSnapshot } from "../db/snapshot.ts";
import { Raw } from "../http/answer.ts";
import { AnswerObject, FreeObject, OrNull, RequestObject, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { runJob } from "../http/jobs/run.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { documentKind, normaliseDocument } from "../lib/documents.ts";
import { type Erased, eraseInAccount, eraseNotifications } from "./erase.ts";
import { findPerson, isPersonal, type PersonRecord } from "./find.ts";

/** How long it stays known who paid whom, unless the operator decides otherwise (docs/personal-data.md). */
const KEEP_YEARS = 10;

const DOCUMENT = Type.String({ maxLength: 32, description: "CPF or CNPJ, with or without punctuation." });
const KINDS = [
  "account",
  "charge",
  "receipt",
  "withdrawal",
  "refund",
  "balanceBlock",
  "event",
  "notification",
] as const;
const Counts = (description: string) =>
  Type.Object(
    Object.fromEntries(KINDS.map((kind) => [kind, Type.Optional(Type.Integer({ description: `Of kind ${kind}.` }))])),
    {
      description,
    },
  );

const PersonRequest = RequestObject("PersonRequest", "Whose data is asked for.", { document: DOCUMENT });

const PersonData = AnswerObject("PersonData", "What is kept about a person.", {
  document: Type.String({ description: "Without punctuation." }),
  exportedAt: Type.String({ format: "date-time", description: "When." }),
  records: Type.Array(
    Type.Object({
      kind: Type.Enum([...KINDS], { type: "string", description: "What it is." }),
      accountId: OrNull(Type.String({ format: "uuid" }), "With which account; null: a notification of an institution."),
      id: Type.String({ description: "Its id; of a receipt the end-to-end id." }),
      at: Type.String({ format: "date-time", description: "When it came to be." }),
      data: FreeObject({ description: "What is kept." }),
    }),
    { description: "Everything that is kept about the person." },
  ),
});

const ErasureRequest = RequestObject("ErasureRequest", "Whose data is to be erased.", {
  document: DOCUMENT,
  keepYears: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: KEEP_YEARS,
      description: "Who paid and who was paid stays known for so long after the payment.",
    }),
  ),
});

const Erasure = AnswerObject("Erasure", "What was erased, and what was not.", {
  document: Type.String({ description: "Without punctuation." }),
  erased: Counts("Records of which something was erased."),
  kept: Counts("Records that still name the person: open, not yet delivered, or to be kept by law. Ask again later."),
});

/**
 * `/persons`: the rights of a person under LGPD (docs/personal-data.md). The document is in the body, because paths are
 * logged.
 */
export function personRoutes(route: OperatorRoutes, houseId: string): void {
  route({
    method: "POST",
    path: "/persons/export",
    operationId: "persons.export",
    work: "job",
    audits: ["person.export"],
    summary: "Export what is kept about a person",
    description:
      "In all accounts. Reads whole tables: minutes where there are many payments. The audit log has that it was asked.",
    role: "admin",
    fresh: true,
    body: ref(PersonRequest),
    answer: ref(PersonData),
    example: { document: "529.982.247-25" },
    async handle({ ctx, body }) {
      const document = readDocument(body.document);
      const { counts, pieces } = await runJob(ctx, {
        ...{ kind: "person.export", subject: personIdOf(ctx, document), actor: ctx.operator.name },
        ...{ isWhole: true, result: "nothing" },
        work: () => onSnapshot(ctx.whole, (tx) => write(findPerson(tx, houseId, document))),
      });
      await ctx.db.transaction((tx) =>
        audit(ctx, tx, houseId, "person.export", personIdOf(ctx, document), null, counts),
      );
      return new Raw("application/json; charset=utf-8", personData(document, ctx.clock.date(), pieces));
    },
  });

  route({
    method: "POST",
    path: "/persons/erase",
    operationId: "persons.erase",
    final: "What is erased cannot be brought back.",
    work: "whole",
    audits: ["person.erase"],
    summary: "Erase what may be erased about a person",
    description:
      "Names, documents, contacts and free texts go; ids, amounts, times and the ledger stay. What is open stays until it has ended, what an endpoint has not received until it has, and who paid for `keepYears`: call again then. Deliveries that wait for a disabled endpoint end as failed. It cannot be undone.",
    role: "admin",
    fresh: true,
    body: ref(ErasureRequest),
    answer: ref(Erasure),
    example: { document: "529.982.247-25" },
    async handle({ ctx, body }) {
      const document = readDocument(body.document);
      const keepYears = body.keepYears ?? KEEP_YEARS;
      const now = ctx.clock.date();
      const horizon = new Date(now);
      horizon.setUTCFullYear(now.getUTCFullYear() - keepYears);
      const find = () => onSnapshot(ctx.whole, (tx) => allOf(findPerson(tx, houseId, document)));
      const records = await find();
      const personId = personIdOf(ctx, document);
      // Written before the erasure, so that the audit log has a call that a crash interrupts.
      await ctx.db.transaction((tx) =>
        audit(ctx, tx, houseId, "person.erase", personId, null, { keepYears, found: countsOf(records) }),
      );
      const total: Record<string, number> = {};
      const report = (accountId: string) => async (tx: Tx, erased: Erased) => {
        if (Object.keys(erased).length === 0) return;
        await audit(ctx, tx, accountId, "person.erase", personId, null, { keepYears, erased });
        for (const [kind, count] of Object.entries(erased)) total[kind] = (total[kind] ?? 0) + count;
      };
      // Before the payments: notifications are found through them.
      await ctx.db.transaction(async (tx) => report(houseId)(tx, await eraseNotifications(tx, houseId, records)));
      const accounts = new Set(records.flatMap(({ kind, accountId }) => (kind === "account" ? [] : (accountId ?? []))));
      for (const accountId of [...accounts].sort()) {
        await eraseInAccount(ctx, accountId, records, { houseId, document, horizon }, report(accountId));
      }
      return { document, erased: total, kept: countsOf((await find()).filter(isPersonal)) };
    },
  });
}

type Written = { readonly counts: Erased; readonly pieces: readonly Buffer[] };

/**
 * Writes the records of an export into buffers, which are outside of the heap: the garbage collection of a million records as
 * objects blocked the thread for a tenth of a second at a time.
 */
async function write(found: AsyncIterable<readonly PersonRecord[]>): Promise<Written> {
  const counts: Record<string, number> = {};
  const pieces: Buffer[] = [];
  for await (const records of found) {
    for (const { kind } of records) counts[kind] = (counts[kind] ?? 0) + 1;
    const texts = records.map(({ kind, accountId, id, at, data }) => JSON.stringify({ kind, accountId, id, at, data }));
    if (texts.length > 0) pieces.push(Buffer.from(texts.join(",")));
  }
  return { counts, pieces };
}

/** `PersonData`, piece by piece. */
function* personData(document: string, at: Date, pieces: readonly Buffer[]): Generator<string | Buffer> {
  yield `{"document":${JSON.stringify(document)},"exportedAt":${JSON.stringify(at)},"records":[`;
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) yield ",";
    yield piece;
  }
  yield "]}";
}

async function allOf(found: AsyncIterable<readonly PersonRecord[]>): Promise<PersonRecord[]> {
  const all: PersonRecord[] = [];
  for await (const records of found) all.push(...records);
  return all;
}

const countsOf = (records: readonly PersonRecord[]): Erased => {
  const counts: Record<string, number> = {};
  for (const { kind } of records) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

function readDocument(text: string): string {
  const document = normaliseDocument(text);
  if (documentKind(document) === null) throw invalid("document", "is not a CPF or CNPJ");
  return document;
}
