/**
 * Clients in Python that others wrote drive the simulator: `efipay`, Efí's own, `pypix-api` and `brbank` as each of their banks. They are
 * installed for this test; where Python or the registry cannot be reached, the tests are skipped by name.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Json, type Simulator, startReceiver, startSimulator } from "./harness.ts";

const PACKAGES = ["efipay==1.0.7", "pypix-api==0.14.0", "brbank==0.0.5"];
const WITHIN_MS = 150_000;
const SCOPE = ["cob", "cobv", "pix", "webhook", "payloadlocation"]
  .flatMap((part) => [`${part}.read`, `${part}.write`])
  .join(" ");

/** What pip says where no registry answers. A package that a registry does not have is a fault of this test. */
const UNREACHABLE = /connection|timed out|temporary failure|name resolution|proxy|no route|SSL/i;
type Failed = {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
};

const run = promisify(execFile);

describe("clients in Python", () => {
  const folder = mkdtempSync(join(tmpdir(), "psp-simulator-python-"));
  let skip: string | false = false;
  let simulator: Simulator;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  before(async () => {
    simulator = await startSimulator();
    receiver = await startReceiver();
    try {
      await run("python3", ["-m", "venv", folder], { timeout: WITHIN_MS });
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES];
      await run(join(folder, "bin/python"), install, { timeout: WITHIN_MS });
    } catch (error) {
      const { code, killed, stdout = "", stderr = "" } = error as Failed;
      if (code === "ENOENT" || /ensurepip is not available/.test(stdout)) skip = "there is no python3 with venv";
      else if (killed || UNREACHABLE.test(stderr)) skip = "the registry of Python packages cannot be reached";
      else throw error;
    }
  });
  after(async () => {
    await receiver.close();
    await simulator.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program beside this test; gives what it printed. */
  async function drive(program: string): Promise<Json> {
    const { clientId, clientSecret, pixKey, controlToken } = simulator.credentials;
    const given = { url: simulator.url, clientId, clientSecret, pixKey, controlToken };
    const more = { webhookUrl: receiver.url, scope: SCOPE };
    const file = fileURLToPath(new URL(`clients/${program}`, import.meta.url));
    const { stdout } = await run(join(folder, "bin/python"), [file, JSON.stringify({ ...given, ...more })], {
      timeout: WITHIN_MS,
      maxBuffer: 10_000_000,
    });
    return JSON.parse(stdout);
  }

  test("pypix-api works unchanged as Banco do Brasil, Inter and Sicoob", async (t) => {
    if (skip !== false) return t.skip(skip);
    const banks = await drive("run_pypix.py");
    assert.deepEqual(Object.keys(banks), ["BBPixAPI", "InterPixAPI", "SicoobPixAPI"]);
    for (const [bank, { txid, txidv, e2eId, answers }] of Object.entries<Json>(banks)) {
      const { criar_cob, criar_cob_auto_txid, consultar_cob, consultar_cobv, consultar_pix } = answers;
      assert.deepEqual([criar_cob.txid, criar_cob.status, criar_cob.valor.original], [txid, "ATIVA", "25.90"], bank);
      assert.match(criar_cob_auto_txid.txid, /^[a-zA-Z0-9]{26,35}$/, bank);
      assert.equal(answers.revisar_cob.valor.original, "30.00", bank);
      assert.deepEqual([consultar_cob.status, consultar_cob.pix[0].endToEndId], ["CONCLUIDA", e2eId], bank);
      assert.ok(
        answers.consultar_cobs.cobs.some((one: Json) => one.txid === txid),
        bank,
      );
      assert.ok(
        consultar_pix.pix.some((one: Json) => one.endToEndId === e2eId && one.valor === "30.00"),
        bank,
      );
      assert.equal(answers.consultar_pix_por_e2eid.txid, txid, bank);
      assert.deepEqual(
        [answers.solicitar_devolucao_pix.valor, answers.consultar_devolucao_pix.id],
        ["10.00", "r1"],
        bank,
      );
      assert.deepEqual([consultar_cobv.txid, consultar_cobv.solicitacaoPagador], [txidv, "Fatura"], bank);
      assert.ok(
        answers.listar_cobv.cobs.some((one: Json) => one.txid === txidv),
        bank,
      );
      assert.equal(answers.criar_location.tipoCob, "cob", bank);
      assert.equal(answers.consultar_webhook.webhookUrl, receiver.url, bank);
      assert.equal(answers.excluir_webhook, true, bank);
    }
  });

  test("brbank works unchanged with its profile of each bank: charges of both kinds, returns, addresses", async (t) => {
    if (skip !== false) return t.skip(skip);
    const banks = await drive("run_brbank.py");
    const names = ["inter", "bb", "sicoob", "sicredi", "itau", "bradesco", "santander", "efi"];
    assert.deepEqual(Object.keys(banks), names);
    for (const [bank, kinds] of Object.entries<Json>(banks)) {
      for (const [kind, { made, again, paid, removed, returned, ...answers }] of Object.entries<Json>(kinds)) {
        const place = `${bank} ${kind}`;
        assert.deepEqual([made.status, again], ["REGISTRADO", made], place);
        assert.match(made.code, /^000201.*6304[0-9A-F]{4}$/, place);
        // An abatement of 5.00, and 3 % off what it leaves until five days before the due date.
        assert.deepEqual([paid.status, paid.paid], ["LIQUIDADO", kind === "cob" ? "100.00" : "92.15"], place);
        assert.equal(removed.status, "BAIXADO", place);
        assert.deepEqual([returned.id, returned.amount, answers.return], ["r1", "10.00", "r1"], place);
        assert.match(returned.rtrId, /^D[a-zA-Z0-9]{31}$/, place);
        assert.deepEqual([answers.webhook, answers.noWebhook], ["https://shop.example/pix", null], place);
      }
    }
  });

  test("efipay works unchanged: charges, locations, received Pix, returns, payouts, balance and MED", async (t) => {
    if (skip !== false) return t.skip(skip);
    await simulator.behave({ dialect: "efi", putMode: "efi", returnDelayMs: 0, payoutDelayMs: 0 });
    const { txid, txidv, e2eId, answers } = await drive("run_efipay.py");
    const { pix_create_location, pix_create_charge, pix_generate_qrcode, pix_detail_charge, pix_send } = answers;
    assert.deepEqual([pix_create_charge.txid, pix_create_charge.loc.id], [txid, pix_create_location.id]);
    assert.equal(pix_generate_qrcode.qrcode, pix_create_charge.pixCopiaECola);
    assert.equal(answers.pix_update_charge.valor.original, "30.00");
    assert.deepEqual([pix_detail_charge.status, pix_detail_charge.pix[0].endToEndId], ["CONCLUIDA", e2eId]);
    assert.ok(answers.pix_received_list.pix.some((one: Json) => one.endToEndId === e2eId));
    assert.equal(answers.pix_detail_devolution.valor, "10.00");
    assert.deepEqual(
      [answers.pix_detail_due_charge.txid, answers.pix_detail_due_charge.solicitacaoPagador],
      [txidv, "Fatura"],
    );
    assert.equal(answers.pix_detail_webhook.webhookUrl, receiver.url);
    assert.match(answers.get_account_balance.saldo, /^\d+\.\d{2}$/);
    assert.deepEqual([pix_send.idEnvio, answers.pix_send_detail_id.status], ["envio1", "REALIZADO"]);
    assert.ok(Array.isArray(answers.med_list.infracoes));
    // Its client gives a refusal as an answer too.
    for (const [method, answer] of Object.entries<Json>(answers)) {
      const refused = typeof answer === "object" && (answer.nome !== undefined || answer.type !== undefined);
      assert.ok(!refused, `${method}: ${JSON.stringify(answer)}`);
    }
  });
});
