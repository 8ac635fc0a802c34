/**
 * The Central Bank's own description judges every request of the API Pix adapter, while it works with the simulator. The
 * simulator's answers are judged in psp-simulator/test/standard.test.ts.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { DueTerms } from "../../src/lib/due.ts";
import { bank } from "../../src/psp/api-pix/bank.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { type Asked, judge } from "./standard-document.ts";

/** Passes every call on to the simulator, and keeps it. */
async function startRecorder(to: () => string, asked: Asked[]) {
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    const { authorization = "", "content-type": type = "" } = headers;
    asked.push({ method, url: new URL(url, "http://recorder"), type, body });
    const answer = await fetch(to() + url, {
      method,
      headers: { authorization, ...(type !== "" && { "content-type": type }) },
      ...(body !== "" && { body }),
    });
    const contentType = answer.headers.get("content-type");
    response.writeHead(answer.status, contentType === null ? {} : { "content-type": contentType });
    response.end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const ends: (() => unknown)[] = [];
const asked: Asked[] = [];
let simulator: Awaited<ReturnType<typeof startSimulatorPsp>>;
let psp: Psp;
before(async () => {
  simulator = await startSimulatorPsp({ after: (end) => ends.push(end as () => unknown) });
  const recorder = await startRecorder(() => simulator.url, asked);
  ends.push(recorder.close);
  const { clientId, clientSecret, pixKey } = simulator.credentials;
  psp = bank.create(
    {
      ...{ baseUrl: `${recorder.url}/v2`, tokenUrl: `${simulator.url}/oauth/token` },
      ...{ clientId, clientSecret, pixKey, tokenAuth: "basic" },
    },
    { clock: { now: () => Date.now() }, log: () => {} },
  );
});
after(async () => {
  await psp.close();
  for (const end of ends.reverse()) await end();
});

let made = 0;
const txid = (): string => `standard${String(++made).padStart(20, "0")}`;
const order = (more: object = {}) => ({
  ...{ txid: txid(), amount: 2_590, expiresIn: 900, description: "Pedido 1042" },
  ...more,
});
const accepted = async <T>(outcome: Promise<{ kind: string; value?: T }>): Promise<T> => {
  const { kind, value } = await outcome;
  assert.ok(kind === "accepted" || kind === "found", kind);
  return value as T;
};
/** The calls that were judged since the last time. */
function judged(): string[] {
  return asked.splice(0).map(judge);
}

const MARIA = { name: "Maria Teste", document: "52998224725" };
const COMPANY = { name: "Empresa", document: "12ABC34501DE35" };
const terms = (more: Partial<DueTerms>): DueTerms => ({ date: "2099-12-10", daysAfter: 30, ...more });

describe("what the adapter sends is what the Central Bank's description takes", () => {
  test("and another request is seen", () => {
    const call = (path: string, body: unknown, method = "PUT"): Asked => ({
      ...{ method, url: new URL(`/v2${path}`, "http://recorder"), type: "application/json" },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    const path = `/cob/${txid()}`;
    const cob = { calendario: { expiracao: 900 }, valor: { original: "25.90" }, chave: "k" };
    assert.equal(judge(call(path, cob)), "PUT /cob/{txid}");
    for (const [wrong, why] of [
      [call(path, { ...cob, valor: { original: "25.9" } }), /pattern/],
      [call(path, { ...cob, calendario: { expiracao: "900" } }), /integer/],
      [call(path, { ...cob, chave: undefined }), /chave/],
      [call(path, { ...cob, devedor: { cpf: "1", nome: "M" } }), /./],
      [call("/cob/short", cob), /txid/],
      [call("/cobs", cob), /no such/],
      [call("/pix", undefined, "GET"), /is needed/],
      [call("/pix?inicio=2099-01-01T00:00:00Z&fim=yesterday", undefined, "GET"), /fim/],
    ] as const) {
      assert.throws(() => judge(wrong), why, `${wrong.method} ${wrong.url} ${wrong.body}`);
    }
  });

  test("for charges, their query and their removal", async () => {
    for (const more of [
      {},
      { payer: MARIA },
      { payer: COMPANY },
      { description: "" },
      { description: "é".repeat(255) },
    ]) {
      const one = order(more);
      await accepted(psp.createCharge(one));
      await accepted(psp.findCharge(one.txid, "immediate"));
      await accepted(psp.cancelCharge(one.txid, "immediate"));
    }
    assert.deepEqual(new Set(judged()), new Set(["PUT /cob/{txid}", "GET /cob/{txid}", "PATCH /cob/{txid}"]));
  });

  test("for charges with a due date, with all terms that there are, and their changes", async () => {
    const rates = [{ fixed: 150 }, { percentBps: 250 }] as const;
    const all: Partial<DueTerms>[] = [{}];
    for (const rate of rates) {
      all.push({ fine: rate }, { abatement: rate });
      for (const days of ["calendar", "business"] as const) {
        const periods = "fixed" in rate ? (["day"] as const) : (["day", "month", "year"] as const);
        for (const per of periods) all.push({ interest: { ...rate, per, days } });
        all.push({ discount: { perDay: { ...rate, days } } });
      }
      all.push({
        discount: {
          until: [
            { date: "2099-12-01", ...rate },
            { date: "2099-12-03", ...rate },
          ],
        },
      });
    }
    for (const more of all) {
      const one = order({ payer: MARIA, due: terms(more) });
      await accepted(psp.createCharge(one));
      await accepted(psp.findCharge(one.txid, "due"));
      await accepted(psp.reviseCharge!({ txid: one.txid, amount: 3_000, due: terms({ ...more, daysAfter: 10 }) }));
      await accepted(psp.cancelCharge(one.txid, "due"));
    }
    assert.deepEqual(new Set(judged()), new Set(["PUT /cobv/{txid}", "GET /cobv/{txid}", "PATCH /cobv/{txid}"]));
  });

  test("for received Pix, their list and their returns", async () => {
    const one = order();
    await accepted(psp.createCharge(one));
    const { e2eId } = await simulator.control("POST", `/charges/${one.txid}/pay`, {});
    await accepted(psp.findPix(e2eId));
    const window = { from: new Date("2020-01-01T00:00:00Z"), to: new Date("2099-01-01T00:00:00Z"), page: 0 };
    await accepted(psp.listPix(window));
    await accepted(psp.listPix({ ...window, onlyReturned: true }));
    const back = { e2eId, id: "return1", amount: 1_000 };
    await accepted(psp.returnPix({ ...back, description: "Devolução do pedido" }));
    await accepted(psp.findReturn(back));
    assert.deepEqual(
      new Set(judged()),
      new Set([
        ...["PUT /cob/{txid}", "GET /pix/{e2eid}", "GET /pix"],
        ...["PUT /pix/{e2eid}/devolucao/{id}", "GET /pix/{e2eid}/devolucao/{id}"],
      ]),
    );
  });

  test("for locations, the charges on them, and the address of notifications", async () => {
    const { id: location } = await accepted(psp.createLocation!());
    for (let i = 0; i < 2; i++) {
      const one = order({ location });
      await accepted(psp.createCharge(one));
      await accepted(psp.cancelCharge(one.txid, "immediate"));
    }
    await psp.registerNotifications!("https://gateway.example/notifications/abc?hmac=1&ignorar=");
    const calls = new Set(judged());
    for (const call of ["POST /loc", "GET /loc/{id}", "DELETE /loc/{id}/txid", "PUT /webhook/{chave}"]) {
      assert.ok(calls.has(call), `${call} was not asked: ${[...calls].join(", ")}`);
    }
  });
});
