/** The payers' door: the page of one charge for a phone in the network, and nothing else of the simulator. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { cpuOf } from "../../scripts/test/cpu.ts";
import { newTxid, type Simulator, startSimulator, until } from "./harness.ts";

let simulator: Simulator;
let door: URL;
before(async () => {
  simulator = await startSimulator(["--payer-address", "127.0.0.1:0"]);
  door = new URL(simulator.payerUrl!);
});
after(() => simulator.dispose());

type Shown = { readonly status: number; readonly text: string; readonly headers: Headers };
/** A call of the door; one that is refused for coming too soon is made again. */
const visit = async (path: string, init: RequestInit = {}): Promise<Shown> =>
  until(`${path} in time`, async () => {
    const answer = await fetch(door.origin + path, { redirect: "manual", ...init });
    const text = await answer.text();
    return answer.status !== 429 && { status: answer.status, text, headers: answer.headers };
  });
const pageOf = (code: string) => `/bank?code=${encodeURIComponent(code)}`;
const pay = (fields: Record<string, string>, origin: string | null = door.origin) =>
  visit("/bank", {
    method: "POST",
    body: new URLSearchParams(fields),
    ...(origin !== null && { headers: { origin } }),
  });
const countPix = async () => (await simulator.control("GET", "/control/state")).body.pix.total as number;
const codeOf = async (txid: string): Promise<string> =>
  (await simulator.api("GET", `/v2/cob/${txid}`)).body.pixCopiaECola as string;

/** Sends a request as it stands, and gives the first line of the answer. */
const raw = (head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(door.port), door.hostname, () => socket.write(head));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text.split("\r\n")[0]!));
    socket.on("error", reject);
  });

test("whoever has a charge's code sees that charge and pays it once", async () => {
  const txid = await simulator.charge("12.34", { solicitacaoPagador: "Um <b>bolo</b>" });
  const code = await codeOf(txid);
  const shown = await visit(pageOf(code));
  assert.equal(shown.status, 200);
  assert.match(shown.text, /Um &lt;b&gt;bolo/);
  // Neither what reads other codes nor a way to another charge, and no program.
  assert.doesNotMatch(shown.text, /<script|<a href|<textarea/);
  assert.match(shown.headers.get("content-security-policy")!, /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(shown.headers.get("cache-control"), "no-store");
  assert.equal((await visit("/bank/style.css")).status, 200);
  const before = await countPix();
  const paid = await pay({ code });
  assert.equal(paid.status, 200);
  assert.match(paid.text, /12[.,]34/);
  assert.equal((await simulator.control("GET", `/control/charges/${txid}`)).body.status, "CONCLUIDA");
  assert.equal((await pay({ code })).status, 422);
  assert.equal(await countPix(), before + 1);
});

test("all else of the simulator is not there: no list, no control, no call of the bank, no other code, no receipt", async () => {
  const txid = await simulator.charge("10.00");
  const e2eId = await simulator.pay(txid);
  const before = await countPix();
  const bearer = { headers: { authorization: `Bearer ${simulator.credentials.controlToken}` } };
  const paths = [
    ...[
      "/",
      "/bank",
      "/bank/",
      "/bank?code=",
      "/bank?code=abc",
      `/bank/paid/${e2eId}`,
      "/bank/scan.js",
      "/bank/qr/index.js",
    ],
    ...["/control/health", "/control/state", "/control/charges", `/control/charges/${txid}`, "/control/log"],
    ...["/v2/cob", `/v2/cob/${txid}`, "/v2/pix", `/v2/pix/${e2eId}`, "/v2/gn/saldo", "/v2/loc", "/oauth/token"],
    ...["/banking/v2/saldo", "/v2/webhook", "/bank/../control/state", "/%2e%2e/control/state", "//control/state"],
  ];
  for (const path of paths) {
    const { status, text } = await visit(path, bearer);
    assert.deepEqual([path, status, text], [path, 404, ""]);
  }
  for (const method of ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status, text } = await visit("/bank", { method, ...bearer });
    assert.deepEqual([method, status, text], [method, 404, ""]);
  }
  for (const path of ["/control/codes/pay", `/control/charges/${txid}/pay`, "/oauth/token", "/v2/cob"]) {
    const json = { "content-type": "application/json", ...bearer.headers };
    const { status, text } = await visit(path, { method: "POST", body: "{}", headers: json });
    assert.ok(status === 404 || status === 415, `${path}: ${status}`);
    assert.equal(text, "");
  }
  // A code that stays would be paid any number of times by anybody who knows the key: it is none of the door's.
  assert.equal((await pay({ code: staticCode(simulator.credentials.pixKey) })).status, 404);
  assert.equal((await visit(pageOf(staticCode(simulator.credentials.pixKey)))).status, 404);
  assert.equal((await visit(pageOf("0".repeat(2_000)))).status, 404);
  assert.equal(await countPix(), before);
});

test("a page of another origin pays nothing, nor does a call under another name, and nothing is said", async () => {
  const code = await codeOf(await simulator.charge("7.00"));
  const before = await countPix();
  for (const origin of ["http://evil.example", "null", `https://${door.host}`, simulator.url, null]) {
    assert.deepEqual([origin, (await pay({ code }, origin)).status], [origin, 403]);
  }
  // A name of somebody else's that leads to this address (DNS rebinding), and the bank's own port.
  for (const host of ["evil.example", `evil.example:${door.port}`, "127.0.0.1", `localhost:${door.port}`, ""]) {
    const head = `GET ${pageOf(code)} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    assert.match(await raw(head), /^HTTP\/1\.1 421 /, host);
  }
  assert.equal((await visit(pageOf(code))).status, 200);
  assert.equal(await countPix(), before);
});

test("large, odd and many calls are refused", async () => {
  const code = await codeOf(await simulator.charge("8.00"));
  const before = await countPix();
  assert.equal((await pay({ code, amount: "9".repeat(8_000) })).status, 413);
  const json = { "content-type": "application/json", origin: door.origin };
  assert.equal((await visit("/bank", { method: "POST", body: JSON.stringify({ code }), headers: json })).status, 415);
  const long = `GET /bank?x=${"a".repeat(20_000)} HTTP/1.1\r\nhost: ${door.host}\r\nconnection: close\r\n\r\n`;
  assert.match(await raw(long), /^HTTP\/1\.1 431 /);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => (await fetch(`${door.origin}/bank/style.css`)).status),
  );
  assert.ok(statuses.includes(429) && statuses.every((status) => status === 200 || status === 429), statuses.join());
  assert.equal(await countPix(), before);
  // The bank itself is not slowed by it, and has no door unless it is asked for one.
  assert.equal((await simulator.control("GET", "/control/health")).body.payerUrl, simulator.payerUrl);
});

test("a day as far away as a day can be stops nobody: the answer comes at once, and the bank answers meanwhile", async () => {
  const txid = newTxid();
  const made = await simulator.api("PUT", `/v2/cobv/${txid}`, {
    calendario: { dataDeVencimento: "2998-12-10", validadeAposVencimento: 30 },
    devedor: { cpf: "52998224725", nome: "A", logradouro: "R", cidade: "C", uf: "SP", cep: "70011750" },
    valor: {
      original: "10.00",
      multa: { modalidade: 1, valorPerc: "1.00" },
      juros: { modalidade: 6, valorPerc: "0.01" },
      desconto: { modalidade: 4, valorPerc: "0.01" },
    },
    chave: simulator.credentials.pixKey,
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const code = made.body.pixCopiaECola as string;
  const took = () => cpuOf(simulator.process.pid)?.own ?? 0;
  const began = took();
  // Before its due day and after it: the discount, and the interest, go by working days.
  for (const day of ["2026-12-31", "2999-12-31", "2999-12-30", "9999-99-99"]) {
    const path = `${pageOf(code)}&on=${day}`;
    assert.equal((await visit(path)).status, 200);
    assert.equal((await fetch(simulator.url + path)).status, 200);
  }
  assert.equal((await simulator.control("GET", "/control/health")).status, 200);
  // A walk by day took half a second of CPU for each of them.
  assert.ok(took() - began < 2, `${took() - began} s of CPU`);
});

/** The same address as a person, or a tool, may write it, and as a browser does. */
const WRITTEN = [
  ["127.0.0.77:80", "http://127.0.0.77/bank"],
  ["[0:0:0:0:0:0:0:1]:8179", "http://[::1]:8179/bank"],
  ["LocalHost:8178", "http://localhost:8178/bank"],
] as const;
for (const [address, url] of WRITTEN) {
  test(`the door at ${address} opens for a browser`, async (t) => {
    const other = await startSimulator(["--payer-address", address]).catch((error: unknown) => {
      if (/EACCES|EADDRNOTAVAIL/.test(String(error))) t.skip("this machine does not let a program listen there");
      else throw error;
      return null;
    });
    if (other === null) return;
    try {
      assert.equal(other.payerUrl, url);
      const code = (await other.api("GET", `/v2/cob/${await other.charge("3.00")}`)).body.pixCopiaECola as string;
      assert.equal((await fetch(`${url}?code=${encodeURIComponent(code)}`)).status, 200);
      const { origin } = new URL(url);
      const paid = await fetch(url, { method: "POST", body: new URLSearchParams({ code }), headers: { origin } });
      assert.equal(paid.status, 200);
      assert.equal((await other.control("GET", "/control/state")).body.pix.total, 1);
    } finally {
      await other.dispose();
    }
  });
}

/** A code that stays, of the simulator's own key, with an amount. */
function staticCode(key: string): string {
  const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`;
  const account = field("00", "br.gov.bcb.pix") + field("01", key);
  const body = `${field("00", "01")}${field("26", account)}${field("52", "0000")}${field("53", "986")}${field("54", "5.00")}${field("58", "BR")}${field("59", "LOJA")}${field("60", "SP")}${field("62", field("05", newTxid().slice(0, 5)))}6304`;
  let crc = 0xffff;
  for (const letter of Buffer.from(body)) {
    crc ^= letter << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return body + crc.toString(16).toUpperCase().padStart(4, "0");
}
