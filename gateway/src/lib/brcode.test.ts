import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BrCode, buildDynamic, buildStatic, crc16, parse, receiverName } from "./brcode.ts";

const NOTHING: BrCode = {
  key: null,
  description: null,
  url: null,
  amount: null,
  txid: null,
  merchantName: "Fulano de Tal",
  city: "BRASILIA",
  singleUse: false,
};
const EVP_URL = "2353c790eefb11eaadc10242ac120002";
const STATIC =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
  "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";
const EFI =
  "00020101021226830014BR.GOV.BCB.PIX2561qrcodespix.sejaefi.com.br/v2/0123456789abcdef0123456789abcdef" +
  "5204000053039865802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***6304FF87";

/** Codes of the Central Bank's manual and specification, of Efí, and of a simulator, with what they say. */
const VECTORS: [string, BrCode][] = [
  [STATIC, { ...NOTHING, key: "123e4567-e12b-12d1-a456-426655440000" }],
  [
    "00020126490014br.gov.bcb.pix0114+55119999988880209Pedido 4252040000530398654" +
      "0510.505802BR5910LOJA TESTE6009SAO PAULO62120508PEDIDO426304A75B",
    {
      ...NOTHING,
      key: "+5511999998888",
      description: "Pedido 42",
      amount: 1050,
      txid: "PEDIDO42",
      merchantName: "LOJA TESTE",
      city: "SAO PAULO",
    },
  ],
  [
    `00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/${EVP_URL}` +
      "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63040968",
    { ...NOTHING, url: `pix.example.com/qr/v2/${EVP_URL}`, singleUse: true },
  ],
  [
    EFI,
    {
      ...NOTHING,
      url: "qrcodespix.sejaefi.com.br/v2/0123456789abcdef0123456789abcdef",
      merchantName: "LOJA EXEMPLO LTDA",
      city: "SAO PAULO",
      singleUse: true,
    },
  ],
  [
    "00020101021226750014BR.GOV.BCB.PIX2553localhost:4010/qr/v2/0123456789abcdef0123456789abcdef" +
      "5204000053039865406123.455802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***63046FFA",
    {
      ...NOTHING,
      url: "localhost:4010/qr/v2/0123456789abcdef0123456789abcdef",
      amount: 12345,
      merchantName: "LOJA EXEMPLO LTDA",
      city: "SAO PAULO",
      singleUse: true,
    },
  ],
  [
    "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***" +
      `80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/${EVP_URL}630462C9`,
    NOTHING,
  ],
  [
    "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441" +
      "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***" +
      "80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
    { ...NOTHING, url: "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441", singleUse: true },
  ],
  [
    "00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7" +
      "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***" +
      "80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441",
    { ...NOTHING, url: "pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7", singleUse: true },
  ],
];

/** A code of these fields, with its checksum. */
function codeOf(...fields: [id: string, value: string, length?: number][]): string {
  const body = fields
    .map(([id, value, length]) => id + String(length ?? value.length).padStart(2, "0") + value)
    .join("");
  return `${body}6304${crc16(`${body}6304`)}`;
}
const PIX: [string, string] = ["26", "0014br.gov.bcb.pix0111a@b.example"];
const errorOf = (code: string): string | undefined => {
  const result = parse(code);
  return "error" in result ? result.error : undefined;
};

test("the checksum has its published check value", () => {
  assert.equal(crc16("123456789"), "29B1");
  assert.equal(crc16(""), "FFFF");
});

test("known codes say what they say", () => {
  for (const [code, expected] of VECTORS) {
    assert.deepEqual(parse(code), expected, code);
    assert.deepEqual(parse(` ${code.slice(0, -4)}${code.slice(-4).toLowerCase()}\n`), expected);
  }
});

test("of a field that is there twice the first counts, and a neighbour of its number is another field", () => {
  const body = STATIC.slice(0, -8).replace("5913Fulano de Tal", "5913Fulano de Tal5904Novo5804ZZZZ");
  const code = `${body}6304${crc16(`${body}6304`)}`;
  assert.deepEqual(parse(code), { ...NOTHING, key: "123e4567-e12b-12d1-a456-426655440000" });
});

test("a built code is what a PSP builds, to the letter", () => {
  const order = { merchantName: "LOJA EXEMPLO LTDA", city: "SAO PAULO" };
  const location = "qrcodespix.sejaefi.com.br/v2/0123456789abcdef0123456789abcdef";
  assert.equal(buildDynamic({ ...order, location }), EFI);
  assert.equal(buildDynamic({ ...order, location: `https://${location}` }), EFI);
});

test("every built code is short ASCII, and parses to its location", () => {
  const location = fc.stringMatching(/^[a-z0-9./-]{1,77}$/);
  fc.assert(
    fc.property(location, fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (url, merchantName, city) => {
      const code = buildDynamic({ location: url, merchantName, city }) as string;
      assert.match(code, /^[\x20-\x7e]{1,512}$/);
      const parsed = parse(code);
      assert.ok(!("error" in parsed), code);
      assert.equal(parsed.url, url);
      assert.equal(parsed.singleUse, true);
      assert.equal(parsed.txid, null);
      assert.match(parsed.merchantName as string, /^[!-~]([ -~]{0,23}[!-~])?$/);
      assert.match(parsed.city as string, /^[!-~]([ -~]{0,13}[!-~])?$/);
    }),
  );
});

test("names are folded to upper-case ASCII and cut without a space at the end", () => {
  const build = (merchantName: string, city: string) => {
    const parsed = parse(buildDynamic({ location: "x", merchantName, city }) as string) as BrCode;
    return [parsed.merchantName, parsed.city];
  };
  assert.deepEqual(build("Padaria  São João & Filhos Ltda", "São José dos Campos"), [
    "PADARIA SAO JOAO & FILHOS",
    "SAO JOSE DOS CA",
  ]);
  assert.deepEqual(build("Açaí nº 1 👍", "Embu das Artes Norte"), ["ACAI NO 1", "EMBU DAS ARTES"]);
  assert.deepEqual(build("日本", ""), ["RECEBEDOR", "BRASIL"]);
});

test("the receiver is whom the code names, in our spelling; the first that is known where it names nobody, or by what stands for nobody", () => {
  const of = (name: string) =>
    receiverName(
      ["Padaria São João Ltda", "Pão"],
      parse(buildDynamic({ location: "x", merchantName: name, city: "" })!),
    );
  assert.deepEqual(["Outra Loja", "PADARIA SAO JOAO LTDA", "pao", "", "Recebedor"].map(of), [
    ...["OUTRA LOJA", "Padaria São João Ltda", "Pão", "Padaria São João Ltda", "Padaria São João Ltda"],
  ]);
  assert.equal(receiverName(["Pão"], { error: "none" }), "Pão");
});

test("a location that no code can hold gives none", () => {
  for (const location of ["", "https://", "x".repeat(78), "a b", "ação", "a\0b"]) {
    assert.equal(buildDynamic({ location, merchantName: "A", city: "B" }), null, location);
  }
  assert.notEqual(buildDynamic({ location: "x".repeat(77), merchantName: "A", city: "B" }), null);
});

test("any one changed character is noticed", () => {
  for (let i = 0; i < EFI.length; i += 1) {
    const other = EFI[i] === "1" ? "2" : "1";
    assert.ok(errorOf(EFI.slice(0, i) + other + EFI.slice(i + 1)), `at ${i}`);
  }
});

test("no text makes the parser throw", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456"), maxLength: 60 });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), digits), (body) => {
      parse(body);
      parse(`${body}6304${crc16(`${body}6304`)}`);
      parse(`000201${body}6304${crc16(`000201${body}6304`)}`);
    }),
    { numRuns: 1_000 },
  );
});

test("the Pix template is found anywhere from 26 to 51, after others", () => {
  for (const id of ["26", "37", "51"]) {
    const parsed = parse(codeOf(["00", "01"], ["27", "0011com.example"], [id, PIX[1]])) as BrCode;
    assert.equal(parsed.key, "a@b.example", id);
  }
  assert.match(errorOf(codeOf(["00", "01"], ["52", PIX[1]])) ?? "", /template/);
  assert.match(errorOf(codeOf(["00", "01"], ["26", "0011com.example"])) ?? "", /template/);
});

test("lengths may count characters or bytes", () => {
  for (const length of [4, 6]) {
    const parsed = parse(codeOf(["00", "01"], PIX, ["59", "ação", length], ["60", "X"])) as BrCode;
    assert.deepEqual([parsed.merchantName, parsed.city], ["ação", "X"]);
  }
});

test("amounts are read with none, one or two decimals, and nothing else", () => {
  const amountOf = (text: string) => parse(codeOf(["00", "01"], PIX, ["54", text]));
  for (const [text, centavos] of [
    ["10", 1000],
    ["10.", 1000],
    ["10.5", 1050],
    ["10.55", 1055],
    ["0.00", 0],
  ] as const) {
    assert.equal((amountOf(text) as BrCode).amount, centavos, text);
  }
  for (const text of ["", "-1", "1,00", "1.005", "1e3", "12345678901.00", " 1"]) {
    assert.deepEqual(amountOf(text), { error: "malformed amount" }, text);
  }
});

test("what cannot be read safely is refused with its reason", () => {
  assert.match(errorOf("") ?? "", /checksum/);
  assert.match(errorOf(`${EFI}00`) ?? "", /checksum/);
  assert.match(errorOf(codeOf(["00", "01"], ["26", "0099br", 6])) ?? "", /template/);
  assert.match(errorOf(codeOf(["00", "01"], PIX, ["59", "AB", 99])) ?? "", /cut short/);
  assert.match(errorOf(codeOf(PIX)) ?? "", /version 01/);
  assert.match(errorOf(codeOf(PIX, ["00", "01"])) ?? "", /version 01/);
  assert.match(errorOf(codeOf(["00", "01"], PIX, ["62", "05"])) ?? "", /additional/);
  const padded = (last: number): string =>
    codeOf(["00", "01"], PIX, ...[90, 90, 90, 90, last].map((n): [string, string] => ["64", "x".repeat(n)]));
  const rest = 512 - padded(0).length;
  assert.equal(padded(rest).length, 512);
  assert.doesNotMatch(errorOf(padded(rest)) ?? "", /512/);
  assert.match(errorOf(padded(rest + 1)) ?? "", /512/);
});

test("the single-use mark is read under 01, and under 02 as one PSP writes it", () => {
  assert.equal((parse(codeOf(["00", "01"], ["02", "12"], PIX)) as BrCode).singleUse, true);
  assert.equal((parse(codeOf(["00", "01"], ["01", "11"], PIX)) as BrCode).singleUse, false);
});

test("a static code is read back with its key, txid, amount and as much of the text as fits", () => {
  const key = fc.constantFrom("a@b.example", "+5511999998888", "52998224725", `${"k".repeat(60)}@example.com`);
  const txid = fc.string({ unit: fc.constantFrom(..."abcXYZ0189"), minLength: 1, maxLength: 25 });
  const amount = fc.option(fc.integer({ min: 1, max: 999_999_999_999 }));
  const description = fc.option(fc.string({ unit: fc.constantFrom(..."aÇé 9-🙂"), maxLength: 140 }));
  fc.assert(
    fc.property(key, txid, amount, description, (k, t, a, text) => {
      const of = { merchantName: "Café São João", city: "Brasília" };
      const code = buildStatic({ key: k, txid: t, amount: a, description: text, ...of })!;
      const read = parse(code);
      assert.ok(!("error" in read), code);
      const { description: shown, ...rest } = read;
      const names = { merchantName: "CAFE SAO JOAO", city: "BRASILIA" };
      assert.deepEqual(rest, { key: k, url: null, amount: a, txid: t, ...names, singleUse: false });
      assert.ok(k.length + (shown ?? "").length <= Math.max(k.length, 73));
    }),
  );
});

test("no static code is made of a key or a txid that does not fit", () => {
  const good = { key: "a@b.example", txid: "t", amount: null, description: null, merchantName: "x", city: "y" };
  assert.ok(buildStatic(good));
  for (const bad of [
    { key: "" },
    { key: "k".repeat(78) },
    { key: "é@b" },
    { txid: "" },
    { txid: "t".repeat(26) },
    { txid: "***" },
  ]) {
    assert.equal(buildStatic({ ...good, ...bad }), null, JSON.stringify(bad));
  }
});
