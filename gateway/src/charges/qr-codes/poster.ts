import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { parse, receiverName } from "../../lib/brcode.ts";
import { toBrl } from "../../lib/money.ts";
import { makePdf } from "../../lib/pdf/make-pdf.ts";
import { brlText, type PaperLanguage } from "../../lib/pdf/words.ts";
import type { QrCodeColumns } from "./qr-code.ts";

const WORDS = {
  "pt-BR": {
    title: "Pague com Pix",
    sandbox: "Ambiente de testes: o dinheiro não é de verdade.",
    how: "Abra o aplicativo do seu banco, escolha Pix e leia o código.",
    receiver: (name: string) => `Você paga para ${name}. Confira o nome antes de confirmar.`,
  },
  en: {
    title: "Pay with Pix",
    sandbox: "Test environment: no real money.",
    how: "Open your bank's app, choose Pix and scan the code.",
    receiver: (name: string) => `You pay ${name}. Check the name before you confirm.`,
  },
} as const satisfies Record<PaperLanguage, object>;

/** Points of the largest letters, of the others, and of the space above all; the code's share of the width. */
const SIZES = { A4: [44, 17, 30, 0.82], A6: [22, 9.5, 4, 0.7] } as const;

/** A code as a sheet for the wall (A4) or the counter (A6): the code itself is drawn, not a picture of it. */
export async function makePoster(
  ctx: Context,
  code: QrCodeColumns,
  { size = "A4", language = "pt-BR" }: { readonly size?: "A4" | "A6"; readonly language?: PaperLanguage },
): Promise<Buffer> {
  const { rows } = await ctx.db.query<{ name: string; legal_name: string | null; environment: string }>(sql`
    select name, legal_name, environment from accounts where account_id = ${code.accountId}`);
  const { name, legal_name, environment } = rows[0]!;
  const receiver = receiverName(legal_name === null ? [name] : [legal_name, name], parse(code.pixCopyPaste));
  const words = WORDS[language];
  const [large, small, above, share] = SIZES[size];
  const head = { title: `${words.title}: ${code.name}`, under: receiver, language, size, madeAt: code.updatedAt };
  return makePdf(
    head,
    (paper) => {
      paper.space(above);
      paper.centred(words.title, large, true);
      // Who pays a code of the sandbox has paid nobody.
      if (environment === "sandbox") paper.centred(words.sandbox, small, true);
      const below: readonly (readonly [string, number, boolean])[] = [
        ...(code.amount === null ? [] : [[brlText(toBrl(code.amount)), large, true] as const]),
        [code.description ?? code.name, small * 1.3, false],
        [words.how, small, false],
        [words.receiver(receiver), small, true],
      ];
      // Long texts make the code smaller: a code can be scanned from 3 cm on, and a line below the edge cannot be read.
      const texts = below.reduce((sum, line) => sum + paper.heightOfCentred(...line), 0);
      paper.qr(code.pixCopyPaste, share, paper.left - texts);
      for (const line of below) paper.centred(...line);
    },
    true,
  );
}
