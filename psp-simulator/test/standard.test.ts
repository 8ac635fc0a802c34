/** What the simulator answers is what the Central Bank's own description says (standard/README.md). */
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { type Json, newTxid, type Reply, type Simulator, startReceiver, startSimulator, until } from "./harness.ts";

const standard = readStandard();
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv, ["date-time"]);
// A location is an address without its scheme, which no reader of `uri` takes.
ajv.addFormat("uri", true);
ajv.addFormat("int32", true);
ajv.addFormat("int64", true);
ajv.addSchema({ $id: "standard", components: standard.components });

const validators = new Map<string, ValidateFunction>();

/** Fails unless the answer is one that the description declares for the call, with its body. */
function conforms(method: string, path: string, reply: Reply): void {
  const place = `${method.toLowerCase()} ${path} ${reply.status}`;
  const operation = standard.paths[path]?.[method.toLowerCase()];
  assert.ok(operation, `${place}: no such call`);
  let response = operation.responses[String(reply.status)];
  assert.ok(response, `${place}: not declared`);
  if (response.$ref) response = standard.components.responses[response.$ref.split("/").at(-1)];
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  if (type === undefined) return;
  assert.match(reply.headers.get("content-type") ?? "", new RegExp(`^${type.replace(/[+/]/g, "\\$&")}`), place);
  fits(place, (content as Json).schema, reply.body);
}

function fits(place: string, schema: Json, body: unknown): void {
  let validate = validators.get(JSON.stringify(schema));
  if (!validate) {
    validate = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"standard#/components')) as Json,
    );
    validators.set(JSON.stringify(schema), validate);
  }
  assert.ok(validate(body), `${place}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

/** What a payer's app does with a location: it fetches the terms, then the key that they name, and verifies the signature. */
async function fetchTerms(location: string): Promise<{ payload: Json; header: Json }> {
  const answer = await fetch(`http://${location}`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^application\/jose/);
  const [head, body, signature] = (await answer.text()).split(".") as [string, string, string];
  const [header, payload] = [head, body].map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Json);
  const { keys } = (await (await fetch(header.jku)).json()) as { keys: Json[] };
  const key = createPublicKey({ key: keys.find(({ kid }) => kid === header.kid), format: "jwk" });
  const isSigned = (text: string) => verify("sha256", Buffer.from(text), key, Buffer.from(signature, "base64url"));
  assert.ok(isSigned(`${head}.${body}`));
  assert.ok(!isSigned(`${head}.${body}A`));
  return { payload, header };
}

/** The description with what it says wrongly put right: each against its own examples and prose. */
function readStandard(): Json {
  const text = readFileSync(new URL("standard/api-pix-2.9.0.yaml", import.meta.url), "utf8");
  const file = parse(text) as Json;
  const { schemas } = file.components;
  // The list of received Pix is called `pix`; no charge has an `idCob`; a webhook shows its key and no `cnpj`.
  schemas.PixConsultados.required = ["parametros", "pix"];
  schemas.CobsConsultadas.properties.cobs.items.allOf[1].required = ["status", "txid"];
  schemas.WebhookCompleto.required = ["webhookUrl", "criacao"];
  // The location of a charge does not repeat the txid.
  for (const part of schemas.CobGerada.allOf) {
    if (part.properties?.loc) part.properties.loc.required = ["id", "tipoCob", "criacao"];
  }
  // The address of the receiver is in `recebedor`, not beside it.
  delete schemas.DadosRecebedor.required;
  for (const part of schemas.CobVGerada.allOf) {
    if (part.properties?.loc) part.properties.loc.required = ["id", "tipoCob", "criacao"];
  }
  schemas.CobsVConsultadas.properties.cobs.items = { $ref: "#/components/schemas/CobVCompleta" };
  return JSON.parse(
    JSON.stringify(file, (name, value: unknown) => {
      // Patterns with the slashes of a literal, and patterns that a longer text would pass too.
      if (name !== "pattern" || typeof value !== "string") return value;
      const bare = value.replace(/^\//, "").replace(/\/$/, "");
      return `^${bare.replace(/^\^/, "").replace(/\$$/, "")}$`;
    }),
  );
}

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.dispose());

const cob = (more: Record<string, unknown> = {}) => ({
  calendario: { expiracao: 900 },
  valor: { original: "25.90" },
  chave: simulator.credentials.pixKey,
  ...more,
});
const window = () =>
  `inicio=${encodeURIComponent("2020-01-01T00:00:00Z")}&fim=${encodeURIComponent("2099-01-01T00:00:00Z")}`;

describe("the simulator answers as the Central Bank's description says", () => {
  test("and another answer is seen", () => {
    const pix = { endToEndId: "E".padEnd(32, "0"), valor: "1.00", horario: "2026-08-02T13:06:00.000Z" };
    const schema = { $ref: "#/components/schemas/Pix" };
    fits("a Pix", schema, pix);
    for (const wrong of [
      { valor: "1.0" },
      { valor: 1 },
      { endToEndId: "E1" },
      { horario: "yesterday" },
      { horario: undefined },
    ]) {
      assert.throws(() => fits("a Pix", schema, JSON.parse(JSON.stringify({ ...pix, ...wrong }))), /a Pix/);
    }
  });

  test("for charges", async () => {
    const txid = newTxid();
    const devedor = { cpf: "52998224725", nome: "Maria Teste" };
    const infoAdicionais = [{ nome: "Pedido", valor: "1042" }];
    const body = cob({ devedor, infoAdicionais, solicitacaoPagador: "Pedido 1042" });
    conforms("PUT", "/cob/{txid}", await simulator.api("PUT", `/v2/cob/${txid}`, body));
    conforms(
      "POST",
      "/cob",
      await simulator.api("POST", "/v2/cob", cob({ devedor: { cnpj: "12ABC34501DE35", nome: "Empresa" } })),
    );
    conforms("GET", "/cob/{txid}", await simulator.api("GET", `/v2/cob/${txid}`));
    conforms("PATCH", "/cob/{txid}", await simulator.api("PATCH", `/v2/cob/${txid}`, { valor: { original: "30.00" } }));
    await simulator.pay(txid);
    const paid = await simulator.api("GET", `/v2/cob/${txid}`);
    assert.equal(paid.body.status, "CONCLUIDA");
    conforms("GET", "/cob/{txid}", paid);
    const removed = newTxid();
    await simulator.api("PUT", `/v2/cob/${removed}`, cob());
    const removal = { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" };
    conforms("PATCH", "/cob/{txid}", await simulator.api("PATCH", `/v2/cob/${removed}`, removal));
    conforms("GET", "/cob", await simulator.api("GET", `/v2/cob?${window()}`));
  });

  test("for charges with a due date, and what they cost on a day", async () => {
    const txid = newTxid();
    const path = `/v2/cobv/${txid}`;
    const body = {
      calendario: { dataDeVencimento: "2099-12-10", validadeAposVencimento: 30 },
      devedor: { cpf: "52998224725", nome: "Maria Teste" },
      valor: {
        original: "100.00",
        multa: { modalidade: 2, valorPerc: "3.00" },
        juros: { modalidade: 2, valorPerc: "1.00" },
        desconto: { modalidade: 1, descontoDataFixa: [{ data: "2099-12-03", valorPerc: "7.50" }] },
      },
      chave: simulator.credentials.pixKey,
    };
    const made = await simulator.api("PUT", path, body);
    conforms("PUT", "/cobv/{txid}", made);
    assert.deepEqual([made.body.valor, made.body.loc.tipoCob], [body.valor, "cobv"]);
    conforms("GET", "/cobv/{txid}", await simulator.api("GET", path));
    conforms("GET", "/cobv", await simulator.api("GET", `/v2/cobv?${window()}`));
    conforms("PATCH", "/cobv/{txid}", await simulator.api("PATCH", path, { solicitacaoPagador: "Fatura" }));
    const on = async (day: string) => (await fetchTerms(`${made.body.location}?DPP=${day}`)).payload.valor;
    assert.deepEqual(await on("2099-12-03"), { original: "100.00", desconto: "7.50", final: "92.50" });
    assert.deepEqual(await on("2099-12-10"), { original: "100.00", final: "100.00" });
    // The standard's own example: two days late, 3 % and 1 % a day.
    assert.deepEqual(await on("2099-12-12"), { original: "100.00", multa: "3.00", juros: "2.00", final: "105.00" });
    // Neither kind is the other, and what breaks a rule is refused.
    assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).status, 404);
    const wrong = async (more: Record<string, unknown>) => {
      const reply = await simulator.api("PUT", `/v2/cobv/${newTxid()}`, { ...body, ...more });
      conforms("PUT", "/cobv/{txid}", reply);
      return [reply.status, reply.body.violacoes.map(({ propriedade }: Json) => propriedade)];
    };
    const valor = (more: Json) => ({ valor: { original: "100.00", ...more } });
    assert.deepEqual(await wrong({ devedor: undefined }), [400, ["cobv.devedor"]]);
    assert.deepEqual(await wrong({ ...valor({}), calendario: { dataDeVencimento: "2020-11-30" } }), [
      400,
      ["cobv.calendario.dataDeVencimento"],
    ]);
    assert.deepEqual(await wrong(valor({ juros: { modalidade: 9, valorPerc: "1.00" } })), [400, ["cobv.valor.juros"]]);
    assert.deepEqual(await wrong(valor({ desconto: { modalidade: 3 } })), [400, ["cobv.valor.desconto"]]);
    await simulator.pay(txid);
    const paid = await simulator.api("GET", path);
    conforms("GET", "/cobv/{txid}", paid);
    const { valor: amount, componentesValor } = paid.body.pix[0];
    const parts = { original: { valor: "100.00" }, desconto: { valor: "7.50" } };
    assert.deepEqual([paid.body.status, amount, componentesValor], ["CONCLUIDA", "92.50", parts]);
  });

  test("for batches of charges with a due date, of which one is refused", async () => {
    const [first, second, third] = [newTxid(), newTxid(), newTxid()];
    const due = (txid: string, original: string) => ({
      txid,
      calendario: { dataDeVencimento: "2099-12-10", validadeAposVencimento: 30 },
      devedor: { cpf: "52998224725", nome: "Maria Teste" },
      valor: { original },
      chave: simulator.credentials.pixKey,
    });
    const path = "/v2/lotecobv/1042";
    const cobsv = [due(first, "100.00"), due(second, "0.00")];
    const made = await simulator.api("PUT", path, { descricao: "Mensalidades", cobsv });
    conforms("PUT", "/lotecobv/{id}", made);
    assert.equal(made.status, 202, made.text);
    const shown = await simulator.api("GET", path);
    conforms("GET", "/lotecobv/{id}", shown);
    assert.deepEqual(
      shown.body.cobsv.map(({ txid, status }: Json) => [txid, status]),
      [
        [first, "CRIADA"],
        [second, "NEGADA"],
      ],
    );
    assert.deepEqual(
      shown.body.cobsv[1].problema.violacoes.map(({ propriedade }: Json) => propriedade),
      ["cobv.valor.original"],
    );
    conforms("GET", "/cobv/{txid}", await simulator.api("GET", `/v2/cobv/${first}`));
    assert.equal((await simulator.api("GET", `/v2/cobv/${second}`)).status, 404);
    const revised = await simulator.api("PATCH", path, { cobsv: [{ txid: first, valor: { original: "90.00" } }] });
    conforms("PATCH", "/lotecobv/{id}", revised);
    assert.equal((await simulator.api("GET", `/v2/cobv/${first}`)).body.valor.original, "90.00");
    await simulator.api("PUT", path, { descricao: "Mensalidades", cobsv: [due(second, "50.00"), due(first, "90.00")] });
    assert.equal((await simulator.api("GET", `/v2/cobv/${second}`)).body.valor.original, "50.00");

    // A batch keeps its charges, and takes none that another request has made.
    const before = (await simulator.api("GET", path)).body;
    for (const [method, at, body] of [
      ["PUT", path, { descricao: "Mensalidades", cobsv: [due(first, "90.00")] }],
      ["PUT", path, { descricao: "Mensalidades", cobsv: [due(first, "90.00"), due(third, "1.00")] }],
      ["PATCH", path, { cobsv: [{ txid: third, valor: { original: "1.00" } }] }],
      ["PUT", "/v2/lotecobv/1043", { descricao: "Outro", cobsv: [due(third, "1.00"), due(first, "1.00")] }],
      ["PUT", "/v2/lotecobv/1043", { cobsv: [due(third, "1.00")] }],
      ["PUT", "/v2/lotecobv/1043", { descricao: "Outro", cobsv: [due("short", "1.00")] }],
      ["PUT", "/v2/lotecobv/1043", { descricao: "Outro", cobsv: [due(third, "1.00"), due(third, "1.00")] }],
    ] as const) {
      const refused = await simulator.api(method, at, body);
      conforms(method, "/lotecobv/{id}", refused);
      assert.equal(refused.status, 400, JSON.stringify(body));
      assert.match(refused.body.type, /LoteCobVOperacaoInvalida$/);
    }
    assert.deepEqual((await simulator.api("GET", path)).body, before);
    assert.equal((await simulator.api("GET", `/v2/cobv/${third}`)).status, 404);
    const unknown = await simulator.api("GET", "/v2/lotecobv/1043");
    conforms("GET", "/lotecobv/{id}", unknown);
    conforms("PATCH", "/lotecobv/{id}", await simulator.api("PATCH", "/v2/lotecobv/1043", { cobsv: [] }));
    assert.equal(unknown.status, 404);

    await simulator.kill();
    await simulator.restart();
    const list = await simulator.api("GET", `/v2/lotecobv?${window()}`);
    conforms("GET", "/lotecobv", list);
    assert.deepEqual(list.body.lotes, [before]);
  });

  test("for received Pix and their returns, in every state", async () => {
    const e2eId = await simulator.pay(await simulator.charge("10.00"));
    conforms("GET", "/pix/{e2eid}", await simulator.api("GET", `/v2/pix/${e2eId}`));
    const path = `/v2/pix/${e2eId}/devolucao`;
    const asked = await simulator.api("PUT", `${path}/r1`, { valor: "4.00", descricao: "manual" });
    assert.equal(asked.body.status, "EM_PROCESSAMENTO");
    conforms("PUT", "/pix/{e2eid}/devolucao/{id}", asked);
    conforms("GET", "/pix/{e2eid}/devolucao/{id}", await simulator.api("GET", `${path}/r1`));
    await simulator.control("POST", `/control/pix/${e2eId}/returns/r1/settle`, { outcome: "confirm" });
    const settled = await simulator.api("GET", `${path}/r1`);
    assert.equal(settled.body.status, "DEVOLVIDO");
    conforms("GET", "/pix/{e2eid}/devolucao/{id}", settled);
    await simulator.api("PUT", `${path}/r2`, { valor: "2.00", descricao: "manual" });
    await simulator.control("POST", `/control/pix/${e2eId}/returns/r2/settle`, { outcome: "fail", reason: "AB03" });
    conforms("GET", "/pix/{e2eid}/devolucao/{id}", await simulator.api("GET", `${path}/r2`));
    await simulator.control("POST", `/control/pix/${e2eId}/med-return`, { amountCentavos: 100 });
    conforms("GET", "/pix/{e2eid}", await simulator.api("GET", `/v2/pix/${e2eId}`));
    conforms("GET", "/pix", await simulator.api("GET", `/v2/pix?${window()}`));
    conforms("GET", "/pix", await simulator.api("GET", `/v2/pix?${window()}&txid=${newTxid()}`));
  });

  test("for webhooks, and what it sends to them", async () => {
    const receiver = await startReceiver();
    try {
      const path = `/v2/webhook/${encodeURIComponent(simulator.credentials.pixKey)}`;
      await simulator.api("PUT", path, { webhookUrl: receiver.url });
      conforms("GET", "/webhook/{chave}", await simulator.api("GET", path));
      conforms("GET", "/webhook", await simulator.api("GET", "/v2/webhook"));
      await simulator.pay(await simulator.charge("3.00"));
      const sent = await until("the callback", () => receiver.received[0]);
      for (const pix of (sent.body as Json).pix) fits("callback", { $ref: "#/components/schemas/Pix" }, pix);
    } finally {
      await simulator.api("DELETE", `/v2/webhook/${encodeURIComponent(simulator.credentials.pixKey)}`);
      await receiver.close();
    }
  });

  test("for locations, and the signed terms that a payer's bank reads there", async () => {
    const created = await simulator.api("POST", "/v2/loc", { tipoCob: "cob" });
    conforms("POST", "/loc", created);
    const { id, location } = created.body as { id: number; location: string };
    conforms("GET", "/loc/{id}", await simulator.api("GET", `/v2/loc/${id}`));
    const txid = newTxid();
    const charge = await simulator.api("PUT", `/v2/cob/${txid}`, cob({ loc: { id } }));
    conforms("PUT", "/cob/{txid}", charge);
    assert.deepEqual([charge.body.loc.id, charge.body.location], [id, location]);
    assert.ok(charge.body.pixCopiaECola.includes(location));
    conforms("GET", "/loc/{id}", await simulator.api("GET", `/v2/loc/${id}`));
    conforms("GET", "/loc", await simulator.api("GET", `/v2/loc?${window()}&txIdPresente=true&tipoCob=cob`));

    const { payload, header } = await fetchTerms(location);
    fits("payload", { $ref: "#/components/schemas/CobPayload" }, payload);
    assert.deepEqual([payload.txid, payload.valor.original, payload.status], [txid, "25.90", "ATIVA"]);
    assert.deepEqual([header.alg, header.typ], ["RS256", "JWS"]);
    await simulator.api("PATCH", `/v2/cob/${txid}`, { valor: { original: "30.00" } });
    assert.equal((await fetchTerms(location)).payload.valor.original, "30.00");

    const other = newTxid();
    const refused = await simulator.api("PUT", `/v2/cob/${other}`, cob({ loc: { id } }));
    conforms("PUT", "/cob/{txid}", refused);
    assert.match(refused.text, /já está sendo utilizado por outra cobrança/);
    conforms("DELETE", "/loc/{id}/txid", await simulator.api("DELETE", `/v2/loc/${id}/txid`));
    const unlinked = await simulator.api("GET", `/v2/cob/${txid}`);
    assert.deepEqual(
      [unlinked.body.loc, unlinked.body.location, unlinked.body.status],
      [undefined, undefined, "ATIVA"],
    );
    assert.equal((await fetch(`http://${location}`)).status, 404);
    const moved = await simulator.api("PUT", `/v2/cob/${other}`, cob({ loc: { id } }));
    assert.deepEqual([moved.status, moved.body.location], [201, location]);
    await simulator.kill();
    await simulator.restart();
    // Its port is another one now.
    const again = await fetchTerms(location.replace(/^[^/]+/, new URL(simulator.url).host));
    assert.deepEqual([again.payload.txid, again.header.kid], [other, header.kid]);
    conforms("GET", "/loc/{id}", await simulator.api("GET", "/v2/loc/999999"));
    conforms("POST", "/loc", await simulator.api("POST", "/v2/loc", { tipoCob: "boleto" }));
  });

  test("for paths that end in a slash, and for a token without the scope of the call", async () => {
    conforms("POST", "/cob", await simulator.api("POST", "/v2/cob/", cob()));
    const basic = Buffer.from(`${simulator.credentials.clientId}:${simulator.credentials.clientSecret}`);
    const token = await fetch(`${simulator.url}/oauth/token`, {
      method: "POST",
      headers: { authorization: `Basic ${basic.toString("base64")}`, "content-type": "application/json" },
      body: JSON.stringify({ grant_type: "client_credentials", scope: "pix.read" }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const authorization = `Bearer ${access_token}`;
    const denied = await simulator.api("GET", `/v2/cob?${window()}`, undefined, { authorization });
    assert.equal(denied.status, 403);
    conforms("GET", "/cob", denied);
  });

  test("for what it refuses", async () => {
    const txid = newTxid();
    conforms("PUT", "/cob/{txid}", await simulator.api("PUT", `/v2/cob/${txid}`, cob({ valor: { original: "0.00" } })));
    conforms("POST", "/cob", await simulator.api("POST", "/v2/cob", { chave: "somebody@else.example" }));
    conforms("PATCH", "/cob/{txid}", await simulator.api("PATCH", `/v2/cob/${txid}`, { valor: { original: "1.00" } }));
    conforms("GET", "/cob/{txid}", await simulator.api("GET", `/v2/cob/${txid}`));
    const e2eId = await simulator.pay(await simulator.charge("5.00"));
    conforms("GET", "/pix/{e2eid}", await simulator.api("GET", `/v2/pix/${"E".padEnd(32, "0")}`));
    const path = "/pix/{e2eid}/devolucao/{id}";
    conforms("PUT", path, await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/x`, { valor: "5.01" }));
    conforms("GET", path, await simulator.api("GET", `/v2/pix/${e2eId}/devolucao/none`));
    const webhook = `/v2/webhook/${encodeURIComponent("nobody@pixgate.test")}`;
    conforms(
      "PUT",
      "/webhook/{chave}",
      await simulator.api("PUT", webhook, { webhookUrl: "https://example.com/hook" }),
    );
    conforms("GET", "/webhook/{chave}", await simulator.api("GET", webhook));
    conforms("DELETE", "/webhook/{chave}", await simulator.api("DELETE", webhook));
  });
});
