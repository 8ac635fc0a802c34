/** Asaas as a server of the tests: what it answers, and the bank that asks it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { bank } from "../../src/psp/asaas/bank.ts";
import { type Heard, type Said, startWireServer } from "./wire-server.ts";

export const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
export const E2E = "E12345678202608021305abcdef01234";
export const TX = "7d5ab4a1-1f5a-4c5d-9d0a-0f8fad5bd9cb";
export const PAY = "pay_080225913252";
export const KEY = "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11";
const NOW = Date.parse("2026-08-02T13:05:00Z");

export const list = (data: readonly unknown[], hasMore = false) => ({
  json: { object: "list", hasMore, totalCount: data.length, limit: 100, offset: 0, data },
});
export const payment = {
  object: "payment",
  id: PAY,
  value: 25.9,
  netValue: 24.91,
  status: "RECEIVED",
  billingType: "PIX",
  externalReference: TXID,
  pixTransaction: TX,
  pixQrCodeId: "PIXG0001ASA",
};
export const transaction = {
  id: TX,
  endToEndIdentifier: E2E,
  value: 25.9,
  refundedValue: 0,
  effectiveDate: "2026-08-02 10:06:00",
  status: "DONE",
  type: "CREDIT",
  payment: PAY,
  addressKey: KEY,
  externalAccount: { name: "Maria Teste", cpfCnpj: "123.456.789-09" },
};
export const refund = {
  dateCreated: "2026-08-02 11:00:00",
  effectiveDate: "2026-08-02 11:00:05",
  status: "DONE",
  value: 25.9,
  description: "devolucao ref1",
  endToEndIdentifier: "D12345678202608021400abcdef01234",
};
export const error = (status: number, code: string, description = "Ação inválida.") => ({
  status,
  json: { errors: [{ code, description }] },
});
export const window = { from: new Date("2026-08-02T13:00:00Z"), to: new Date("2026-08-02T14:00:00Z"), page: 0 };

/** Asaas by its paths: `answers` has an answer for each that is asked for. */
export async function startAsaas(t: TestContext, answers: Record<string, Said | ((heard: Heard) => Said)> = {}) {
  const wire = await startWireServer(t);
  const at = { answers };
  wire.answer = (heard) => {
    const path = heard.path.replace(/^\/v3/, "").replace(/\?.*/, "");
    const said = at.answers[`${heard.method} ${path}`];
    assert.ok(said, `${heard.method} ${path} was not expected`);
    return typeof said === "function" && said.length === 1 ? (said as (heard: Heard) => Said)(heard) : (said as Said);
  };
  const psp = bank.create(
    { asaasUrl: `${wire.origin}/v3`, asaasKey: "$aact_key", pixKey: KEY, timeoutMs: 30_000 },
    { clock: { now: () => NOW }, log: () => {} },
  );
  t.after(() => psp.close());
  return { wire, psp, at };
}
