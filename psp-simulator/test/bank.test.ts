/** `/bank`: the app of a payer's bank, as a page for a person. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTxid, type Simulator, startSimulator } from "./harness.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.dispose());

type Shown = { status: number; text: string; headers: Headers };
const visit = async (path: string, init: RequestInit = {}): Promise<Shown> => {
  const answer = await fetch(simulator.url + path, { redirect: "manual", ...init });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};
const read = (code: string, more = "", languages = "en") =>
  visit(`/bank?code=${encodeURIComponent(code)}${more}`, { headers: { "accept-language": languages } });
const pay = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  visit("/bank", { method: "POST", body: new URLSearchParams(fields), headers });
const countPix = async () => (await simulator.control("GET", "/control/state")).body.pix.total as number;
const codeOf = async (path: string): Promise<string> => (await simulator.api("GET", path)).body.pixCopiaECola;
const newest = async () => (await simulator.control("GET", "/control/pix?limit=1")).body.items[0];

/** Refused with these words, and nothing was paid. */
async function refused(code: string, words: RegExp, more: Record<string, string> = {}): Promise<void> {
  const before = await countPix();
  const shown = await read(code);
  assert.match(shown.text, words);
  assert.doesNotMatch(shown.text, /method="post"/);
  const answer = await pay({ code, ...more });
  assert.equal(answer.status, 422);
  assert.match((await pay({ code, ...more }, { "accept-language": "en" })).text, words);
  assert.equal(await countPix(), before);
}

/** A static code, written by hand: a key, and an amount where there is one. */
function staticCode(key: string, amount: string | null): string {
  const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`;
  const account = field("00", "br.gov.bcb.pix") + field("01", key) + field("02", "Gorjeta <b>");
  const body = `${field("00", "01")}${field("26", account)}${field("52", "0000")}${field("53", "986")}${
    amount ? field("54", amount) : ""
  }${field("58", "BR")}${field("59", "LOJA")}${field("60", "SP")}${field("62", field("05", "mesa4"))}6304`;
  let crc = 0xffff;
  for (const letter of Buffer.from(body)) {
    crc ^= letter << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return body + crc.toString(16).toUpperCase().padStart(4, "0");
}

test("a charge is read, shown with its receiver, paid once, and then said to be paid", async () => {
  const txid = await simulator.charge("12.34", { solicitacaoPagador: "Um <b>bolo</b>" });
  const code = await codeOf(`/v2/cob/${txid}`);
  const shown = await read(` ${code}\n`);
  assert.match(shown.text, /Pay R\$12\.34/);
  assert.match(shown.text, /CNPJ 11222333000181/);
  assert.match(shown.text, /Um &lt;b&gt;bolo/, "what others wrote is text");
  const paid = await pay({ code });
  assert.equal(paid.status, 303);
  const receipt = await visit(paid.headers.get("location")!);
  assert.match(receipt.text, /Paid: R\$12\.34/);
  assert.equal((await simulator.control("GET", `/control/charges/${txid}`)).body.status, "CONCLUIDA");
  assert.equal((await newest()).txid, txid);
  await refused(code, /paid already/);
});

test("it speaks Portuguese to whoever reads that before English", async () => {
  const code = await codeOf(`/v2/cob/${await simulator.charge("10.00")}`);
  const shown = await read(code, "", "pt-BR,pt;q=0.9,en;q=0.8");
  assert.match(shown.text, /<html lang="pt-BR">/);
  assert.match(shown.text, /Pagar R\$\s10,00/);
});

test("a static code without an amount asks for it, and can be paid often", async () => {
  const code = staticCode(simulator.credentials.pixKey, null);
  const shown = await read(code);
  assert.match(shown.text, /name="amount"/);
  assert.match(shown.text, /Gorjeta &lt;b&gt;/);
  const before = await countPix();
  for (const amount of ["", "0", "1.234,00", "abc", "-5"]) assert.equal((await pay({ code, amount })).status, 422);
  assert.equal(await countPix(), before);
  for (const [amount, centavos] of [
    ["5", 500],
    ["7,5", 750],
    ["0.01", 1],
  ] as const) {
    assert.equal((await pay({ code, amount })).status, 303);
    const { txid, amountCentavos } = await newest();
    assert.deepEqual([txid, amountCentavos], ["mesa4", centavos]);
  }
  // Where the code names an amount, what a payer sends beside it counts for nothing.
  assert.equal((await pay({ code: staticCode(simulator.credentials.pixKey, "6.50"), amount: "1" })).status, 303);
  assert.equal((await newest()).amountCentavos, 650);
});

test("a charge with a due date is shown in its parts, also as on a day to come, and paid as on that day", async () => {
  const txid = newTxid();
  // The next day in São Paulo: today might be over before it is read.
  const tomorrow = new Date(Date.now() + 21 * 3_600_000).toISOString().slice(0, 10);
  const body = {
    calendario: { dataDeVencimento: tomorrow, validadeAposVencimento: 300 },
    devedor: { cpf: "52998224725", nome: "Maria Teste" },
    valor: { original: "100.00", multa: { modalidade: 1, valorPerc: "2.50" } },
    chave: simulator.credentials.pixKey,
  };
  const made = await simulator.api("PUT", `/v2/cobv/${txid}`, body);
  assert.equal(made.status, 201, made.text);
  const code = made.body.pixCopiaECola as string;
  assert.match((await read(code)).text, /Pay R\$100\.00/);
  // Two weeks later it is late, whatever weekend or holiday tomorrow is.
  const on = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
  const late = await read(code, `&on=${on}`);
  assert.match(late.text, /<dt>Fine<\/dt><dd>R\$2\.50/);
  assert.match(late.text, /Pay R\$102\.50/);
  const never = new Date(Date.now() + 700 * 86_400_000).toISOString().slice(0, 10);
  assert.match((await read(code, `&on=${never}`)).text, /has expired/);
  const before = await countPix();
  assert.equal((await pay({ code, on: never })).status, 422);
  assert.equal(await countPix(), before);
  assert.equal((await pay({ code, on })).status, 303);
  const { body: pix } = await simulator.api("GET", `/v2/pix/${(await newest()).e2eId}`);
  assert.equal(pix.valor, "102.50");
  assert.deepEqual(pix.componentesValor.multa, { valor: "2.50" });
  assert.ok(Math.abs(Date.parse(pix.horario) - Date.now()) < 60_000, "the money arrives now");
});

test("the control API's scan pays what a charge with a due date costs, too", async () => {
  const txid = newTxid();
  const made = await simulator.api("PUT", `/v2/cobv/${txid}`, {
    calendario: { dataDeVencimento: "2099-12-10" },
    devedor: { cpf: "52998224725", nome: "Maria Teste" },
    valor: { original: "100.00", abatimento: { modalidade: 1, valorPerc: "7.25" } },
    chave: simulator.credentials.pixKey,
  });
  assert.equal(made.status, 201, made.text);
  const scanned = await simulator.control("POST", "/control/codes/pay", { code: made.body.pixCopiaECola });
  assert.deepEqual([scanned.status, scanned.body.valor], [200, "92.75"]);
  const again = await simulator.control("POST", "/control/codes/pay", { code: made.body.pixCopiaECola });
  assert.deepEqual([again.status, again.body.code, again.body.reason], [409, "CHARGE_NOT_PAYABLE", "paid"]);
});

test("what a bank's app would refuse is refused in its words, and pays nothing", async () => {
  const removed = await simulator.charge();
  const code = await codeOf(`/v2/cob/${removed}`);
  await simulator.api("PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  await refused(code, /cancelled by the receiver|nothing to pay/);
  const expired = await simulator.charge();
  await simulator.control("POST", `/control/charges/${expired}/expire`);
  await refused(await codeOf(`/v2/cob/${expired}`), /has expired/);
  const left = await simulator.api("GET", `/v2/cob/${await simulator.charge()}`);
  await simulator.api("DELETE", `/v2/loc/${left.body.loc.id}/txid`);
  await refused(left.body.pixCopiaECola, /nothing to pay/);
  await refused(`${code.slice(0, -1)}Z`, /not a Pix code/);
  await refused(staticCode("someone@example.com", "1.00"), /another bank/);
});

test("another site's page cannot pay, and the page runs nothing but its own script", async () => {
  const code = await codeOf(`/v2/cob/${await simulator.charge()}`);
  const before = await countPix();
  for (const origin of ["https://example.com", "null"]) assert.equal((await pay({ code }, { origin })).status, 403);
  assert.equal(await countPix(), before);
  const page = await visit("/bank");
  assert.match(page.headers.get("content-security-policy")!, /default-src 'none'; script-src 'self'/);
  for (const path of ["/bank/style.css", "/bank/scan.js", "/bank/qr/decode.js", "/bank/qr/index.js"]) {
    const file = await visit(path);
    assert.equal(file.status, 200, path);
    assert.ok(file.text.length > 500, path);
  }
});
