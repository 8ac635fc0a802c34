/** How a charge is paid in a bank's own sandbox, against the calls that working clients make. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E0000000020261121000012345678901";
const CODE = "00020101021226";
const COB = {
  ...{ txid: TXID, status: "ATIVA", valor: { original: "25.90" }, pixCopiaECola: CODE, chave: "k" },
  calendario: { criacao: "2026-11-21T10:00:00Z", expiracao: 900 },
};

async function start(t: TestContext, profile: string) {
  const wire = await startWireServer(t);
  const psp = bank.create(
    { ...wire.settings, profile, baseUrl: `${wire.origin}/pix/v2`, extraQuery: { "gw-dev-app-key": "mine" } },
    { clock: { now: () => 1_000_000 }, log: () => {} },
  );
  t.after(() => psp.close());
  let shown: object = COB;
  const answers = (paid: { status?: number; json: unknown }, then?: object) => {
    shown = COB;
    wire.answer = ({ method }) => {
      if (method === "GET") return { json: shown };
      shown = then ?? shown;
      return paid;
    };
  };
  const posts = () => wire.heard.filter(({ method }) => method === "POST");
  return { psp, answers, posts, wire };
}

test("Inter's sandbox pays a charge by its txid and answers with the payment's id", async (t) => {
  const { psp, answers, posts } = await start(t, "inter-sandbox");
  answers({ json: { e2e: E2E } });
  assert.deepEqual(await psp.sandboxPayer!.payCharge({ txid: TXID }), { kind: "accepted", value: { e2eId: E2E } });
  const [post] = posts();
  assert.deepEqual(
    [post?.path, post?.body],
    [`/pix/v2/cob/pagar/${TXID}?gw-dev-app-key=mine`, JSON.stringify({ valor: 25.9 })],
  );
});

test("Banco do Brasil's sandbox pays by the code, and the payment is found at the charge where the answer leaves it out", async (t) => {
  const { psp, answers, posts } = await start(t, "banco-do-brasil-sandbox");
  const pix = { endToEndId: E2E, txid: TXID, valor: "25.90", horario: "2026-11-21T10:01:00Z" };
  const pay = () => psp.sandboxPayer!.payCharge({ txid: TXID });
  answers({ json: { code: 0, texto: "Pagamento efetuado" } }, { ...COB, status: "CONCLUIDA", pix: [pix] });
  assert.deepEqual(await pay(), { kind: "accepted", value: { e2eId: E2E } });
  const [post] = posts();
  assert.match(
    post!.path,
    /^\/testes-portal-desenvolvedor\/v1\/boletos-pix\/pagar\?gw-app-key=\w+&gw-dev-app-key=mine$/,
  );
  assert.deepEqual(JSON.parse(post!.body), { pix: CODE });
  answers({ json: { code: 0, texto: `Pago: ${E2E}.` } });
  assert.deepEqual(await pay(), { kind: "accepted", value: { e2eId: E2E } });
  answers({ json: { code: 0, texto: "Pagamento efetuado" } });
  assert.deepEqual(await pay(), { kind: "unknown", reason: "payment_not_shown" });
  answers({ status: 500, json: { erros: [] } });
  assert.equal((await pay()).kind, "unknown");
});

test("what a bank's sandbox does not play is not sent, and production plays nobody", async (t) => {
  const { psp, answers, posts, wire } = await start(t, "inter-sandbox");
  answers({ json: { e2e: E2E } });
  const { payCharge } = psp.sandboxPayer!;
  const payer = { name: "Maria", document: "12345678909" };
  for (const outcome of [
    await payCharge({ txid: TXID, amount: 1 }),
    await payCharge({ txid: TXID, payer }),
    await payCharge({ txid: TXID, payer: null }),
  ]) {
    assert.deepEqual(outcome, { kind: "unsent", reason: "not_played_there" });
  }
  wire.answer = () => ({ status: 400, json: { nome: "cobranca_nao_encontrada", mensagem: "…" } });
  assert.equal((await payCharge({ txid: TXID })).kind, "rejected");
  assert.deepEqual(posts(), []);
  for (const profile of ["inter", "banco-do-brasil", "itau-sandbox"]) {
    assert.equal(bank.capabilities({ profile }).sandboxPayment, "none");
    assert.equal((await start(t, profile)).psp.sandboxPayer, undefined);
  }
  for (const profile of ["inter-sandbox", "banco-do-brasil-sandbox"]) {
    assert.equal(bank.capabilities({ profile }).sandboxPayment, "by_command");
    assert.equal((await start(t, profile)).psp.sandbox, undefined, "what pays is no simulator");
  }
});
