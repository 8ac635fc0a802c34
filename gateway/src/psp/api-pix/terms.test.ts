import assert from "node:assert/strict";
import { test } from "node:test";
import type { DueTerms, Rate } from "../../lib/due.ts";
import { readTerms, writeDueDate, writeTerms } from "./terms.ts";

const BASE: DueTerms = { date: "2026-12-10", daysAfter: 30 };
const RATES: readonly Rate[] = [{ fixed: 150 }, { percentBps: 133 }];
const DAYS = ["calendar", "business"] as const;

const EVERY: readonly DueTerms[] = [
  BASE,
  ...RATES.flatMap((rate) => [
    { ...BASE, fine: rate },
    { ...BASE, abatement: rate },
    {
      ...BASE,
      discount: {
        until: [
          { date: "2026-12-01", ...rate },
          { date: "2026-12-05", ...rate },
        ],
      },
    },
  ]),
  ...DAYS.flatMap((days) => [
    { ...BASE, interest: { fixed: 7, per: "day" as const, days } },
    ...(["day", "month", "year"] as const).map((per) => ({ ...BASE, interest: { percentBps: 99, per, days } })),
    ...RATES.map((rate) => ({ ...BASE, discount: { perDay: { ...rate, days } } })),
  ]),
];
const written = (terms: DueTerms) => ({ calendario: writeDueDate(terms), valor: writeTerms(terms) });

test("terms of every kind are read as they were written", () => {
  for (const terms of EVERY) assert.deepEqual(readTerms(written(terms)), terms, JSON.stringify(terms));
});

test("a part that is nothing is none, and a bank's default for what it leaves out is the standard's", () => {
  const zero = { modalidade: 2, valorPerc: "0.00" };
  const shown = { calendario: { dataDeVencimento: BASE.date }, valor: { original: "1.00", multa: zero, juros: null } };
  assert.deepEqual(
    readTerms({ ...shown, valor: { ...shown.valor, desconto: { modalidade: 3, valorPerc: "0.00" } } }),
    BASE,
  );
});

test("terms of which any part is not readable are not read at all", () => {
  const { calendario, valor } = written({ ...BASE, fine: { fixed: 1 } });
  const broken: object[] = [
    { valor },
    { calendario },
    { calendario: { dataDeVencimento: "2026-02-30" }, valor },
    { calendario: { ...calendario, validadeAposVencimento: "soon" }, valor },
    { calendario, valor: { ...valor, multa: { modalidade: 9, valorPerc: "1.00" } } },
    { calendario, valor: { ...valor, juros: { modalidade: 1, valorPerc: "much" } } },
    { calendario, valor: { ...valor, desconto: { modalidade: 1 } } },
    {
      calendario,
      valor: { ...valor, desconto: { modalidade: 1, descontoDataFixa: [{ data: "soon", valorPerc: "1.00" }] } },
    },
  ];
  for (const cob of broken) assert.equal(readTerms(cob as never), undefined, JSON.stringify(cob));
});
