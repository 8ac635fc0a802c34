import { makePdf } from "../../lib/pdf/make-pdf.ts";
import type { Paper } from "../../lib/pdf/paper.ts";
import { brlText, momentText, type PaperLanguage } from "../../lib/pdf/words.ts";
import { sha256 } from "../../lib/secrets.ts";
import { canonicalJson } from "../../lib/text.ts";
import type { BalanceBlockFile } from "./dossier.ts";
import { DOSSIER_WORDS, type DossierWords } from "./dossier-words.ts";
import { zip } from "./zip.ts";

/** Most characters of the order's metadata on paper: less than a page. */
const MOST_METADATA = 3_000;

/** The dossier as JSON: keys sorted, so that the same dossier has the same digest. */
const jsonOf = (file: BalanceBlockFile): Buffer => Buffer.from(`${canonicalJson(file)}\n`);

/** The dossier as a paper, with the digest of its JSON. */
export function dossierPaper(file: BalanceBlockFile, language: PaperLanguage): Promise<Buffer> {
  const words = DOSSIER_WORDS[language];
  const { block, madeAt } = file;
  const title = `${words.title} ${block.referenceNumber ?? block.id}`;
  const under = [block.externalReference, words.madeAt(momentText(new Date(madeAt), language))]
    .filter(Boolean)
    .join(" · ");
  return makePdf({ title, under, language, madeAt: new Date(madeAt) }, async (paper) => {
    const at = (instant: string | undefined) => instant && momentText(new Date(instant), language);
    await writeBlock(paper, words, file, at);
    await writePayment(paper, words, file, at);
    await writeFiles(paper, words, file);
    await writeMovements(paper, words, file, at);
    paper.heading(words.proof);
    await paper.facts([
      [words.digest, sha256(jsonOf(file)).toString("hex")],
      [words.audit, file.auditLog && `${file.auditLog.seq}: ${file.auditLog.hash}`],
      [words.leftOut, file.leftOut.join(", ")],
    ]);
  });
}

/**
 * The paper, the data that it was made of, and the files that the merchant has added.
 *
 * @param read gives a file's content: one at a time, when its turn has come.
 */
export const dossierArchive = (
  file: BalanceBlockFile,
  paper: Buffer,
  read: (fileId: string) => Promise<Buffer>,
): AsyncIterable<Buffer> =>
  zip(
    (async function* () {
      yield { name: "dispute.pdf", bytes: paper };
      yield { name: "dispute.json", bytes: jsonOf(file) };
      for (const one of file.files) yield { name: one.archivedAs, bytes: await read(one.file.id) };
    })(),
  );

type At = (instant: string | undefined) => string | undefined;

async function writeBlock(paper: Paper, words: DossierWords, { block }: BalanceBlockFile, at: At): Promise<void> {
  paper.heading(words.dispute);
  await paper.facts([
    [words.type, words.types[block.blockType] ?? block.blockType],
    [words.number, block.referenceNumber],
    [words.amount, brlText(block.amount)],
    [words.state, words.states[block.status]],
    [words.reason, block.reason],
    [words.opened, at(block.createdAt)],
    [words.respondBy, at(block.respondBy)],
    [words.resolved, at(block.resolvedAt)],
    [words.resolution, block.resolutionText ?? block.resolutionReason],
    [words.taken, block.takenAmount === undefined ? null : brlText(block.takenAmount)],
    [words.id, block.id],
  ]);
  paper.heading(words.defense);
  await paper.text(block.defense ?? words.noDefense);
}

/** Has spaces, at which lines can break, but not a line for each value: 16 KiB of short values would fill hundreds of pages. */
function metadataText(metadata: object, words: DossierWords): string {
  const text = JSON.stringify(metadata, null, 1).replace(/\n */g, " ");
  return text.length <= MOST_METADATA ? text : `${text.slice(0, MOST_METADATA)}… ${words.cut}`;
}

async function writePayment(
  paper: Paper,
  words: DossierWords,
  { transaction }: BalanceBlockFile,
  at: At,
): Promise<void> {
  if (transaction === undefined) return;
  paper.heading(words.payment);
  await paper.facts([
    [words.order, transaction.externalReference],
    [words.sold, transaction.description],
    [words.amount, brlText(transaction.amount)],
    [words.payer, transaction.counterpartName],
    [words.document, transaction.counterpartDocument],
    [words.created, at(transaction.createdAt)],
    [words.paid, at(transaction.paidAt)],
    ["E2E", transaction.e2eId],
    ["txid", transaction.txid],
    [words.metadata, transaction.metadata && metadataText(transaction.metadata, words)],
    [words.id, transaction.id],
  ]);
}

async function writeFiles(paper: Paper, words: DossierWords, { files }: BalanceBlockFile): Promise<void> {
  if (files.length === 0) return;
  paper.heading(words.files);
  await paper.table(
    [
      { title: words.name, share: 28 },
      { title: words.archivedAs, share: 20 },
      { title: "kB", share: 10, figures: true },
      { title: "SHA-256", share: 42 },
    ],
    files.map(({ archivedAs, file: { name, size, sha256: digest } }) => [
      name,
      archivedAs,
      String(Math.ceil(size / 1_000)),
      digest,
    ]),
  );
}

async function writeMovements(paper: Paper, words: DossierWords, file: BalanceBlockFile, at: At): Promise<void> {
  const { related, statement, deliveries } = file;
  const signed = { share: 18, figures: true as const };
  if (related.length > 0) {
    paper.heading(words.related);
    await paper.table(
      [
        { title: words.when, share: 24 },
        { title: words.type, share: 20 },
        { title: words.state, share: 16 },
        { title: words.id, share: 40 },
        { title: "BRL", ...signed },
      ],
      related.map((one) => [
        at(one.createdAt)!,
        words.transactions[one.type] ?? one.type,
        one.status,
        one.id,
        brlText(one.amount),
      ]),
    );
  }
  if (statement.length > 0) {
    paper.heading(words.statement);
    await paper.table(
      [
        { title: words.when, share: 24 },
        { title: words.balance, share: 16 },
        { title: words.movement, share: 24 },
        { title: "BRL", ...signed },
        { title: words.after, ...signed },
      ],
      statement.map((line) => [
        at(line.bookedAt)!,
        words.balances[line.balance] ?? line.balance,
        line.kind,
        brlText(line.amount),
        brlText(line.balanceAfter),
      ]),
    );
  }
  if (deliveries.length > 0) {
    paper.heading(words.deliveries);
    await paper.table(
      [
        { title: words.when, share: 22 },
        { title: words.event, share: 24 },
        { title: words.receiver, share: 34 },
        { title: words.answer, share: 20 },
      ],
      deliveries.map((one) => [
        at(one.createdAt)!,
        one.event,
        one.endpoint ?? words.nobody,
        [one.status, one.statusCode].filter((part) => part !== undefined).join(" · "),
      ]),
    );
  }
}
