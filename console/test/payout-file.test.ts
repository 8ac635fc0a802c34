/** The file of payouts as spreadsheets store it: what is read of it, and what is wrong with it, by line and field. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { merchant } from "@pixgate/sdk";
import { addBrl } from "../../sdk/src/money.ts";
import { csvText } from "../src/parts/csv.ts";
import { documentKindOf } from "../src/parts/document.ts";
import { decodeFile, readLines, UnclosedQuote } from "../src/payout-file/read.ts";
import type { PayoutRow } from "../src/payout-file/rows.ts";
import { withSdk } from "./with-sdk.ts";

const { feeOf, grossOf } = await withSdk(() => import("../src/parts/fee.ts"));
const { isSame, MOST_ROWS, rowsOf } = await withSdk(() => import("../src/payout-file/rows.ts"));

const HEAD = "Nome;CPF ou CNPJ;Tipo de chave;Chave Pix;Valor;Referência";
const MARIA = "Maria Silva;123.456.789-09;E-mail;maria@example.com;1.250,50;sal-1";

function rowsIn(text: string): readonly PayoutRow[] {
  const rows = rowsOf(readLines(text));
  if ("why" in rows) assert.fail(JSON.stringify(rows));
  return rows;
}
const faultsOf = (line: string) =>
  rowsIn(`${HEAD}\n${line}`)[0]!.faults.map(({ field, wrong }) => `${field}: ${wrong}`);

describe("A file of payouts", () => {
  test("is read in every encoding in which spreadsheets store it", () => {
    const text = `${HEAD}\r\nJoão Açaí;12345678909;cpf;12345678909;10,00;r-1\r\n`;
    const latin1 = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
    for (const bytes of [new TextEncoder().encode(text), new TextEncoder().encode(`\ufeff${text}`), latin1, utf16]) {
      const [row] = rowsIn(decodeFile(bytes));
      assert.deepEqual([row!.request?.holderName, row!.request?.netAmount, row!.line], ["João Açaí", 10, 2]);
    }
  });

  test("is read with semicolons, commas and tabs, its columns in any order, in both languages", () => {
    const english =
      'reference,amount,pix key,key type,document,name\nr-1,"1250.50",maria@example.com,email,12345678909,"Silva, Maria"';
    const tabs = `${HEAD}\n${MARIA}`.replaceAll(";", "\t");
    for (const text of [english, tabs, `${HEAD}\n${MARIA}`]) {
      const [row] = rowsIn(text);
      assert.deepEqual([row!.request?.netAmount, row!.request?.pixKeyType, row!.faults], [1250.5, "email", []], text);
    }
    assert.equal(rowsIn(english)[0]!.request?.holderName, "Silva, Maria");
  });

  test("is what the template and the console's own files have, whose apostrophes are no part of a value", () => {
    const titles = HEAD.split(";");
    const cells = ["Maria", "12345678909", "telefone", "+5511987654321", 10, "00123"];
    for (const language of ["pt-BR", "en"]) {
      const [row] = rowsIn(csvText([titles, cells], language));
      assert.deepEqual([row!.request?.pixKey, row!.request?.externalReference], ["+5511987654321", "00123"]);
    }
  });

  test("names each fault by its line and field, and asks for nothing of a line that has one", () => {
    const wrong = [
      ["Maria;;E-mail;maria@example.com;10,00;r", "document: missing"],
      ["Maria;12345678900;E-mail;maria@example.com;10,00;r", "document: document"],
      ["Maria;345678909;E-mail;maria@example.com;10,00;r", "document: documentShort"],
      ["Maria;12345678909;PIX;maria@example.com;10,00;r", "keyType: keyType"],
      ["Maria;12345678909;;11987654321;10,00;r", "keyType: keyType"],
      ["Maria;12345678909;telefone;5,51198E+12;10,00;r", "key: keyShortened"],
      ["Maria;12345678909;telefone;11987654321;10,00;r", "key: key"],
      ["Maria;12345678909;cpf;52998224725;10,00;r", "key: holder"],
      ["Maria;12345678909;E-mail;maria@example.com;1.234;r", "amount: amountUnclear"],
      ["Maria;12345678909;E-mail;maria@example.com;-10,00;r", "amount: amount"],
      ["Maria;12345678909;E-mail;maria@example.com;0;r", "amount: amount"],
      ["Maria;12345678909;E-mail;maria@example.com;10,001;r", "amount: amountUnclear"],
      ["Maria;12345678909;E-mail;maria@example.com;1e3;r", "amount: amount"],
      ["Maria;12345678909;E-mail;maria@example.com;10,00;", "reference: missing"],
      [`${"M".repeat(256)};12345678909;E-mail;maria@example.com;10,00;r`, "name: tooLong"],
    ] as const;
    for (const [line, fault] of wrong) assert.deepEqual(faultsOf(line), [fault], line);
    const rows = rowsIn(`${HEAD}\n${MARIA}\n\n${wrong[1][0]}`);
    assert.deepEqual(rows.map(({ line, request }) => [line, request !== null]), [[2, true], [4, false]]); // biome-ignore format: pairs
  });

  test("guesses the type of a key only where it can be no other", () => {
    const typeOf = (key: string) => rowsIn(`${HEAD}\nMaria;12345678909;;${key};10,00;r`)[0]!.request?.pixKeyType;
    assert.equal(typeOf("maria@example.com"), "email");
    assert.equal(typeOf("+55 11 98765-4321"), "phone");
    assert.equal(typeOf("123.456.789-09"), "cpf");
    assert.equal(typeOf("0198c2a4-7b1e-7cc3-98c4-dc0c0c07398f"), "random");
    assert.equal(typeOf("11987654321"), undefined);
  });

  test("has no reference twice, and says where a key gets the same amount again", () => {
    const again = MARIA.replace("sal-1", "sal-2");
    const rows = rowsIn([HEAD, MARIA, MARIA, again].join("\n"));
    assert.deepEqual(rows.map(({ faults }) => faults.length), [1, 1, 0]); // biome-ignore format: a list
    assert.deepEqual(rowsIn([HEAD, MARIA, again].join("\n")).map(({ sameAs }) => sameAs), [null, 2]); // biome-ignore format: a list
  });

  test("has no line with something beside its columns: an amount that a comma cut in two would pay another one", () => {
    const cut = "Maria,12345678909,email,maria@example.com,250,50,sal-1";
    for (const head of ["nome,cpf,tipo,chave,valor,referencia", "nome,cpf,tipo,chave,valor,referencia,"]) {
      const [row] = rowsIn(`${head}\n${cut}`);
      assert.deepEqual(
        [row!.faults, row!.request],
        [[{ field: "line", wrong: "surplus", written: "sal-1" }], null],
        head,
      );
      const [quoted] = rowsIn(`${head}\n${cut.replace("250,50", '"250,50"')},,`);
      assert.deepEqual([quoted!.faults, quoted!.request?.netAmount], [[], 250.5], head);
    }
    const noted = rowsIn(`${HEAD};Observação\n${MARIA};paga todo mês`);
    assert.deepEqual(noted[0]!.faults, []);
    assert.deepEqual(rowsIn(`Nome;;${HEAD.slice(5)}\nMaria;x;${MARIA.split(";").slice(1).join(";")}`)[0]!.faults, [
      { field: "line", wrong: "surplus", written: "x" },
    ]);
  });

  test("says where a key gets the same amount again, however both lines write it", () => {
    const phone = (key: string, reference: string) => `Maria;12345678909;telefone;${key};10,00;${reference}`;
    const rows = rowsIn([HEAD, phone("+55 11 98765-4321", "a"), phone("+5511987654321", "b")].join("\n"));
    assert.deepEqual(rows.map(({ sameAs }) => sameAs), [null, 2]); // biome-ignore format: a list
  });

  test("is refused whole where two columns could be the same field", () => {
    for (const [title, twice] of [
      ["Valor R$", ["Valor", "Valor R$"]], ["Chave", ["Chave Pix", "Chave"]], ["CNPJ", ["CPF ou CNPJ", "CNPJ"]],
      ["Tipo", ["Tipo de chave", "Tipo"]],
    ] as const) // biome-ignore format: a table
      assert.deepEqual(rowsOf(readLines(`${HEAD};${title}\n${MARIA};`)), { why: "columnTwice", titles: twice });
  });

  test("is refused whole where a column, its rows or the end of a quote are missing, or it has too many rows", () => {
    assert.deepEqual(rowsOf(readLines("")), { why: "empty" });
    assert.deepEqual(rowsOf(readLines(`${HEAD}\n\n`)), { why: "empty" });
    assert.deepEqual(rowsOf(readLines("Nome;Valor\nMaria;10")), {
      why: "columns",
      columns: ["document", "key", "reference"],
    });
    const many = Array.from({ length: MOST_ROWS + 1 }, (_, i) => MARIA.replace("sal-1", `sal-${i}`));
    assert.deepEqual(rowsOf(readLines([HEAD, ...many].join("\n"))), { why: "tooMany" });
    assert.throws(() => readLines(`${HEAD}\nMaria;"1;\n${MARIA}`), new UnclosedQuote(2));
  });

  test("keeps what a quoted cell holds: separators, quotes, line ends; and the next line's number", () => {
    const rows = rowsIn(`${HEAD}\r\n"Silva; ""Mia""\r\nMaria";12345678909;cpf;12345678909;10,00;a\r\n${MARIA}`);
    assert.deepEqual(rows.map(({ line }) => line), [2, 4]); // biome-ignore format: a list
    assert.equal(rows[0]!.request?.holderName, 'Silva; "Mia"\r\nMaria');
  });
});

test("a withdrawal is a row's where receiver, amount and key are the same, however the key is written", () => {
  const request = rowsIn(`${HEAD}\nMaria;12345678909;telefone;+55 (11) 98765-4321;10,00;a`)[0]!.request!;
  const made = {
    ...{ netAmount: 10, snapshotHolderDocument: "12345678909" },
    ...{ snapshotPixKeyType: "phone", snapshotPixKey: "+5511987654321" },
  } as merchant.Withdrawal;
  assert.equal(isSame(made, request), true);
  for (const other of [
    { snapshotPixKey: "+5511987654322" }, { snapshotPixKeyType: "cpf", snapshotPixKey: "12345678909" }, { netAmount: 10.01 },
    { snapshotHolderDocument: "52998224725" },
  ] as const) // biome-ignore format: a list
    assert.equal(isSame({ ...made, ...other }, request), false, JSON.stringify(other));
  for (const [line, type, key] of [
    ["Maria;12345678909;cpf;123.456.789-09;10,00;a", "cpf", "12345678909"],
    ["Maria;12345678909;email;Maria@Example.com;10,00;a", "email", "maria@example.com"],
    [
      "Maria;12345678909;evp;0198C2A4-7B1E-7CC3-98C4-DC0C0C07398F;10,00;a",
      "random",
      "0198c2a4-7b1e-7cc3-98c4-dc0c0c07398f",
    ],
  ] as const) {
    const written = rowsIn(`${HEAD}\n${line}`)[0]!.request!;
    assert.equal(isSame({ ...made, snapshotPixKeyType: type, snapshotPixKey: key }, written), true, line);
  }
});

test("a document counts by its check digits, letters of a CNPJ too", () => {
  for (const [document, kind] of [
    ["12345678909", "cpf"], ["52998224725", "cpf"], ["12345678900", null], ["11111111111", null], ["1234567890", null],
    ["11222333000181", "cnpj"], ["12ABC34501DE35", "cnpj"], ["11222333000182", null], ["00000000000000", null],
  ] as const) // biome-ignore format: a table
    assert.equal(documentKindOf(document), kind, document);
});

test("what leaves is the smallest amount of which the net amount arrives", () => {
  for (const [fixed, percent, min] of [[0, 0, 0], [1.5, 0, 0], [0.3, 2.5, 1], [0, 0.99, 0]] as const) // biome-ignore format: a table
    for (const net of [0.01, 1, 19.99, 1250.5, 999_999.99]) {
      const fee = (brl: number) => feeOf(brl, fixed, percent, min);
      const gross = grossOf(net, fee)!;
      assert.ok(addBrl(gross, -fee(gross)) >= net);
      const less = addBrl(gross, -0.01);
      assert.ok(less <= 0 || addBrl(less, -fee(less)) < net, `${net} of ${gross}`);
    }
  assert.equal(
    grossOf(10, (brl) => brl),
    null,
  );
});
