/**
 * Efí's official SDK (sdk-node-apis-efi 2.0.1, MIT) against the simulator in Efí's dialect: its methods unchanged, and every answer
 * judged by the strict schemas that the bank ships with it. Installed for this test; where the registry cannot be reached it is
 * skipped by name.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Json, newTxid, type Simulator, startReceiver, startSimulator, until } from "./harness.ts";

const PACKAGE = "sdk-node-apis-efi@2.0.1";
const WITHIN_MS = 120_000;
const window = { inicio: "2020-01-01T00:00:00Z", fim: "2099-01-01T00:00:00Z" };

describe("Efí's own SDK", () => {
  const project = mkdtempSync(join(tmpdir(), "psp-simulator-efi-"));
  let skip: string | false = false;
  let simulator: Simulator;
  let sdk: Json;
  let efi: Json;
  const judged = new Set<string>();

  before(async () => {
    simulator = await startSimulator();
    await simulator.behave({ dialect: "efi", putMode: "efi", returnDelayMs: 0, payoutDelayMs: 0 });
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
    const options = ["--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries=1", "--fetch-timeout=60000"];
    try {
      await promisify(execFile)("npm", ["install", ...options, PACKAGE], { cwd: project, timeout: WITHIN_MS });
    } catch {
      skip = "the registry cannot be reached";
      return;
    }
    const load = (file: string): Promise<Json> =>
      import(pathToFileURL(join(project, "node_modules/sdk-node-apis-efi/dist/esm", file)).href);
    sdk = await load("index.js");
    // The bank's host is all that is exchanged.
    const { endpoints } = await load("constants/endpoints.js");
    endpoints.APIS.PIX.URL.SANDBOX = simulator.url;
    const { clientId: client_id, clientSecret: client_secret } = simulator.credentials;
    efi = new sdk.EfiPay({ sandbox: true, client_id, client_secret, certificate: join(project, "package.json") });
  });
  after(async () => {
    await simulator.dispose();
    rmSync(project, { recursive: true, force: true });
  });

  /** Calls a method; its answer must be what the schema of that name takes. */
  async function call(method: string, schema: string | null, ...given: unknown[]): Promise<Json> {
    const answer = await efi[method](...given).catch((error: unknown) => {
      throw new Error(`${method}: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
    });
    judged.add(method);
    if (schema === null) return answer;
    const read = sdk[`${schema}ResponseSchema`].safeParse(answer);
    assert.ok(read.success, `${method}: ${JSON.stringify(read.error?.issues)} in ${JSON.stringify(answer)}`);
    return answer;
  }
  const isAbsent = (t: { skip(message: string): void }): boolean => {
    if (skip !== false) t.skip(skip);
    return skip !== false;
  };

  test("makes charges on locations, shows their code and reads what was paid", async (t) => {
    if (isAbsent(t)) return;
    const { pixKey: chave } = simulator.credentials;
    const body = { calendario: { expiracao: 900 }, valor: { original: "25.90" }, chave };
    const loc = await call("pixCreateLocation", "PixCreateLocation", { tipoCob: "cob" });
    const txid = newTxid();
    const charge = await call("pixCreateCharge", "PixCreateCharge", { txid }, { ...body, loc: { id: loc.id } });
    assert.equal(charge.location, loc.location);
    await call("pixDetailLocation", "PixDetailLocation", { id: loc.id });
    await call("pixLocationList", "PixLocationList", window);
    const code = await call("pixGenerateQRCode", "PixGenerateQRCode", { id: loc.id });
    assert.equal(code.qrcode, charge.pixCopiaECola);
    assert.match(code.imagemQrcode, /^data:image\/png;base64,/);
    await call("pixUpdateCharge", "PixUpdateCharge", { txid }, { valor: { original: "30.00" } });
    const e2eId = await simulator.pay(txid);
    await call("pixDetailCharge", "PixDetailCharge", { txid });
    await call("pixCreateImmediateCharge", "PixCreateImmediateCharge", body);
    await call("pixListCharges", "PixListCharges", window);
    await call("pixDetailReceived", "PixDetailReceived", { e2eId });
    await call("pixReceivedList", "PixListReceived", window);
    await call("pixDevolution", "PixDevolution", { e2eId, id: "r1" }, { valor: "4.00" });
    await until("the return", async () => {
      const shown = await call("pixDetailDevolution", "PixDetailDevolution", { e2eId, id: "r1" });
      return shown.status === "DEVOLVIDO";
    });
    await simulator.control("POST", `/control/pix/${e2eId}/med-return`, { amountCentavos: 100 });
    await call("pixDetailReceived", "PixDetailReceived", { e2eId });
    await call("pixReceivedList", "PixListReceived", window);
    await call("pixListCharges", "PixListCharges", window);
    // Its schema of a list knows no charge without a location, so this is last.
    await call("pixUnlinkTxidLocation", "PixUnlinkTxidLocation", { id: loc.id });
  });

  test("sends by key, to a bank account, to the same owner and by a code, and has the receipts", async (t) => {
    if (isAbsent(t)) return;
    const pagador = { chave: simulator.credentials.pixKey };
    const valor = "1.00";
    const account = { codigoBanco: "09089356", agencia: "1", conta: "123450", tipoConta: "cacc" };
    const contaBanco = { nome: "Maria Teste", cpf: "52998224725", ...account };
    await call("pixSend", "PixSend", { idEnvio: "key1" }, { valor, pagador, favorecido: { chave: "52998224725" } });
    await call("pixSend", "PixSend", { idEnvio: "account1" }, { valor, pagador, favorecido: { contaBanco } });
    const own = { chave: "11222333000181" };
    await call(
      "pixSendSameOwnership",
      "PixSendSameOwnership",
      { idEnvio: "own1" },
      { valor, pagador, favorecido: own },
    );
    await assert.rejects(
      efi.pixSendSameOwnership({ idEnvio: "own2" }, { valor, pagador, favorecido: { chave: "52998224725" } }),
      ({ nome }: Json) => nome === "titularidade_divergente",
    );
    const txid = await simulator.charge("7.00");
    const { pixCopiaECola } = (await simulator.api("GET", `/v2/cob/${txid}`)).body;
    const detail = await call("pixQrCodeDetail", "PixQrCodeDetail", { pixCopiaECola }).catch(async () => {
      const { body } = await simulator.api("POST", "/v2/gn/qrcodes/detalhar", { pixCopiaECola });
      return sdk.PixQrCodeDetailResponseSchema.parse(body);
    });
    assert.equal(detail.txid, txid);
    await call("pixQrCodePay", "PixQrCodePay", { idEnvio: "code1" }, { pagador, pixCopiaECola });
    for (const idEnvio of ["key1", "account1", "own1", "code1"]) {
      const sent = await until(`${idEnvio} to be paid`, async () => {
        const shown = await call("pixSendDetailId", "PixSendDetailId", { idEnvio });
        return shown.status === "REALIZADO" && shown;
      });
      await call("pixSendDetail", "PixSendDetail", { e2eId: sent.endToEndId });
      const receipt = await call("pixGetReceipt", null, { idEnvio });
      assert.equal(Buffer.from(receipt).subarray(0, 5).toString(), "%PDF-");
    }
    assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).body.status, "CONCLUIDA");
    await simulator.control("POST", "/control/payouts/key1/settle", { outcome: "reverse", amountCentavos: 40 });
    await call("pixSendDetailId", "PixSendDetailId", { idEnvio: "key1" });
    await call("pixSendList", "PixSendList", window);
    assert.equal((await simulator.control("GET", "/control/state")).body.books.ok, true);
    await call("getAccountBalance", "GetAccountBalance", { bloqueios: true });
  });

  test("has keys, webhooks that are sent again, settings and cases", async (t) => {
    if (isAbsent(t)) return;
    const { chave } = await call("pixCreateEvp", "PixCreateEvp", {});
    assert.ok((await call("pixListEvp", "PixListEvp", {})).chaves.includes(chave));
    const txid = newTxid();
    const body = { calendario: { expiracao: 900 }, valor: { original: "3.00" }, chave };
    await call("pixCreateCharge", "PixCreateCharge", { txid }, body);
    await call("pixDeleteEvp", null, { chave });
    await call("pixKeysBucket", "PixKeysBucket", {});
    const receiver = await startReceiver();
    try {
      const own = { chave: simulator.credentials.pixKey };
      await call("pixConfigWebhook", "PixConfigWebhook", own, { webhookUrl: receiver.url });
      await call("pixDetailWebhook", "PixDetailWebhook", own);
      await call("pixListWebhook", "PixListWebhook", window);
      const e2eId = await simulator.pay(await simulator.charge("3.00"));
      const seen = () => receiver.received.filter(({ body: sent }) => JSON.stringify(sent).includes(e2eId)).length;
      await until("the callback", () => seen() === 1);
      await call("pixResendWebhook", null, { tipo: "PIX_RECEBIDO", e2eids: [e2eId] });
      await until("the callback again", () => seen() === 2);
      const { id } = (await simulator.control("POST", "/control/infractions", { e2eId })).body;
      await call("medList", "MedList", { inicio: "2020-01-01", fim: "2099-01-01" });
      await call("medDefense", null, { idInfracao: id }, { analise: "rejeitado", justificativa: "Entregue" });
      await simulator.control("POST", `/control/infractions/${id}/resolve`, { outcome: "accepted" });
      await call("medList", "MedList", window);
      await call("pixDeleteWebhook", null, own);
    } finally {
      await receiver.close();
    }
    await call("updateAccountConfig", null, {}, { pix: { receberSemChave: true, chaves: {} } });
    await call("listAccountConfig", null, {});
    assert.ok(judged.size >= 34, `${judged.size}: ${[...judged].join()}`);
  });
});
