/** CSV files as spreadsheets read them: of any language, with texts of payers and merchants that are made to be formulas. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Pixgate } from "../../../sdk/src/index.ts";
import { csvWriter } from "../../src/lib/csv.ts";
import { newMerchant } from "../contract/money.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PIECES = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", " =1", '"=1', "\t=1", "'=1", "\r=1", "\n=1"];
/** Texts in which a formula stands first, or after what a spreadsheet may take for the end of a cell. */
const HOSTILE = PIECES.flatMap((piece) =>
  ["", ";", ",", "\t", "\n", "\r\n", ' a";', "; \n", ',";'].map((before) => `x${before}${piece}`),
)
  .concat(PIECES)
  .concat([";", "\t", "\n"].map((only) => `${only}=1`));

/** Texts that a spreadsheet in Brazilian Portuguese shows as another number, a date or a time. */
const READ_OTHERWISE = [
  ...["00123", "1E5", "1e+5", "12345678901234567890", "1/2", "12:30", "1.234", "10%", "R$ 10", "2026-11", " 5", "(7)"],
  ...["5 jan", "5-jan", "jan/26", "10/nov", "10/NOV/2026", "Março 2026", "1 de dezembro de 2026", "5 pm", "12:30 AM"],
];
const READ_ALIKE = [
  "0",
  "1001",
  "123456789012345",
  "2026-11-27",
  "jan",
  "Marco 2",
  "Julia 22",
  "5 dias",
  "de",
  "R$",
  "a1",
];
/** A run, and what stands in its middle. */
const RUNS = [" ", "\t", "0", "\u00a0", "1,", "-", '"', ";", "=", " a", "1e", "jan", "de ", "1 a", "'", "("].flatMap(
  (run) => ["1", "", "=", ";", "jan", "(", ")"].map((middle) => [run, middle] as const),
);

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/**
 * The cells that a spreadsheet with this separator sees. A quote counts at the beginning of a cell alone, as Excel and LibreOffice
 * have it; anywhere else it is a character.
 */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    }
    while (at < text.length && text[at] !== separator && text[at] !== "\r" && text[at] !== "\n") cell += text[at++];
    rows.at(-1)!.push(cell);
    if (text.startsWith("\r\n", at)) at += 2;
    else if (at < text.length) at += 1;
    if (text[at - 1] !== separator && at < text.length) rows.push([]);
  }
  return rows;
}

const isNumber = (cell: string): boolean => /^-?\d+(?:[.,]\d+)?$/.test(cell);
/** Whether a spreadsheet evaluates the cell. */
const isFormula = (cell: string): boolean => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) && !isNumber(cell);

function assertHarmless(file: string): void {
  for (const separator of [",", ";", "\t", "|"])
    for (const cell of cellsOf(file, separator).flat())
      assert.ok(!isFormula(cell), `${separator} ${JSON.stringify(cell)}`);
}

describe("A cell of CSV", () => {
  test("is no formula in a spreadsheet of any language", () => {
    for (const text of HOSTILE)
      for (const format of ["en", "pt-BR"] as const) {
        const csv = csvWriter(format);
        assertHarmless(csv.head(["a", "b"]) + csv.line([text, text]) + csv.line(["2026", text]));
      }
  });

  test("keeps what it holds", () => {
    const { line } = csvWriter("en");
    assert.equal(
      line(['a,"b"', "a\nb", "charge_paid", "a;b", "x = 1", "a-b, c"]),
      '"a,""b""","a\nb",charge_paid,"a;b",x = 1,"a-b, c"\r\n',
    );
    assert.deepEqual(cellsOf(line(['a,"b"', "a\nb", "c;d"]), ","), [['a,"b"', "a\nb", "c;d"]]);
  });

  test("has an apostrophe before what a spreadsheet in Portuguese takes for another number, a date or a time", () => {
    const { line } = csvWriter("pt-BR");
    for (const text of READ_OTHERWISE) assert.equal(line([text, 1]), `'${text};1\r\n`);
    for (const text of READ_ALIKE) assert.equal(line([text, 1]), `${text};1\r\n`);
    for (const text of [...READ_OTHERWISE, ...READ_ALIKE]) assert.ok(!csvWriter("en").line([text]).startsWith("'"));
  });

  test("is written in a time that grows with the length of its text, however it is made", () => {
    for (const format of ["en", "pt-BR"] as const) {
      const { line } = csvWriter(format);
      const best = (text: string) => Math.min(...[1, 2, 3, 4, 5].map(() => timed(() => line([text]))));
      for (const [run, middle] of RUNS) {
        const of = (length: number) => `${run.repeat(length / 2)}${middle}${run.repeat(length / 2)}x`;
        // Twice the length takes twice the time: where it takes eight times, it is cubic. Below 1 ms nothing is measured.
        const [short, long] = [best(of(2_000)), best(of(4_000))];
        assert.ok(long < Math.max(1, 3 * short), `${JSON.stringify(run + middle)}: ${short} ms, then ${long} ms`);
      }
    }
  });

  test("of money has two decimals and its sign, of a moment São Paulo's time with its offset", () => {
    const amounts = [0, 1, -1, 99, 100, -100, 1_234, -999_999_999_999].map((centavos) => ({ centavos }));
    assert.equal(csvWriter("en").line(amounts), "0.00,0.01,-0.01,0.99,1.00,-1.00,12.34,-9999999999.99\r\n");
    assert.equal(csvWriter("pt-BR").line(amounts), "0,00;0,01;-0,01;0,99;1,00;-1,00;12,34;-9999999999,99\r\n");
    const cells = [new Date("2026-11-28T02:30:00Z"), null, true, 12];
    assert.equal(csvWriter("pt-BR").line(cells), "2026-11-27T23:30:00.000-03:00;;true;12\r\n");
  });
});

describe("A file for a spreadsheet", () => {
  let gateway: TestGateway;
  let client: Client;
  let accountId: string;
  before(async () => {
    gateway = await startGateway();
    ({ client, accountId } = await newMerchant(gateway));
    const made = await client.post<{ id: string }>("/pix", {
      amount: 1_234.5,
      description: 'pedido;=HYPERLINK("http://a.example")',
      externalReference: "a,+1;@x",
    });
    assert.equal(made.status, 201, made.text);
    const paid = await client.post(`/sandbox/pix/${made.body.id}/pay`, {
      payer: { name: "Ana;=cmd|/c calc!A0", document: "52998224725" },
    });
    assert.equal(paid.status, 200, paid.text);
  });
  after(() => gateway.end());

  const csv = (path: string, from: Client = client) => from.get(path, { headers: { accept: "text/csv" } });

  test("has commas and decimal points, or what a spreadsheet in Brazilian Portuguese opens by itself, as `format` says", async () => {
    for (const path of ["/statement", "/statement?subAccount=*"]) {
      const join = path.includes("?") ? "&" : "?";
      const [plain, english, brazilian] = await Promise.all(
        ["", `${join}format=en`, `${join}format=pt-BR`].map((query) => csv(`${path}${query}`)),
      );
      assert.equal(plain!.text, english!.text);
      const read = (text: string, separator: string) => {
        const [head, ...rows] = cellsOf(text, separator);
        return rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]])));
      };
      const [en, pt] = [read(english!.text, ","), read(brazilian!.text, ";")];
      const { amount, balanceAfter, time, counterpart, description, externalReference } = pt.find(
        ({ type }) => type === "payment",
      )!;
      assert.deepEqual([amount, counterpart], ["1234,50", "Ana;'=cmd|/c calc!A0"]);
      assert.deepEqual([description, externalReference], [`pedido;'=HYPERLINK("http://a.example")`, "a,'+1;'@x"]);
      assert.match(`${balanceAfter} ${time}`, /^\d+,\d\d \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
      // The same cells, but for the decimals.
      const decimals = (row: Record<string, string | undefined>) => ({
        ...row,
        amount: row.amount!.replace(",", "."),
        balanceAfter: row.balanceAfter!.replace(",", "."),
      });
      assert.deepEqual(pt.map(decimals), en);
      for (const { text } of [english!, brazilian!]) assertHarmless(text);
      const bytes = await fetch(`${gateway.sandbox.baseUrl}${path}${join}format=pt-BR`, {
        headers: { accept: "text/csv", authorization: `Bearer ${client.token}` },
      }).then((response) => response.bytes());
      assert.deepEqual([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
    }
    const wrong = await csv("/statement?format=de");
    assert.equal(wrong.status, 400, wrong.text);
  });

  test("of an operator has the same formats", async () => {
    const [today, month] = [new Date(), new Date()].map((at, i) =>
      new Date(at.getTime() - 3 * 3_600_000).toISOString().slice(0, i === 0 ? 10 : 7),
    );
    for (const path of [
      `/close/${today}`,
      `/close/month/${month}`,
      `/accounts/${accountId}/close/${month}`,
      "/reports/fees",
      `/reconciliation/${today}`,
    ]) {
      const [english, brazilian] = [
        await csv(path, gateway.operator),
        await csv(`${path}?format=pt-BR`, gateway.operator),
      ];
      assert.equal(brazilian.status, 200, brazilian.text);
      const [en, pt] = [cellsOf(english.text, ","), cellsOf(brazilian.text, ";")];
      assert.ok(en[0]!.length > 4);
      assert.deepEqual(pt[0], en[0]);
      assert.ok(pt.every((row) => row.length === pt[0]!.length));
      for (const { text } of [english, brazilian]) assertHarmless(text);
    }
  });

  test("as OFX has names in Windows-1252, none that is empty, and no time before 1970 or after now", async () => {
    for (const [name, reference] of [
      ["“Ana” – Café €5", "dashes"],
      ["王小明", "no letter"],
    ]) {
      const made = await client.post<{ id: string }>("/pix", {
        amount: 3,
        description: name,
        externalReference: reference,
      });
      const paid = await client.post(`/sandbox/pix/${made.body.id}/pay`, { payer: { name, document: "52998224725" } });
      assert.equal(paid.status, 200, paid.text);
    }
    const shop = new Pixgate({
      baseUrl: gateway.sandbox.baseUrl,
      accessToken: client.token,
    });
    const bytes = await shop.statement.listAs("application/x-ofx", { to: "2090-01-01" });
    const text = new TextDecoder("windows-1252").decode(bytes);
    assert.match(text, /<NAME>“Ana” – Café €5<\/NAME>/);
    assert.match(text, /<MEMO>\| no letter \| E/);
    assert.doesNotMatch(text, /<(\w+)><\/\1>/);
    const at = (name: string) => new RegExp(`<${name}>(\\d{14})\\[-3:BRT\\]`).exec(text)![1]!;
    assert.equal(at("DTSTART"), "19700101000000");
    for (const name of ["DTEND", "DTASOF"]) assert.ok(at(name) <= at("DTSERVER"), name);
  });
});
