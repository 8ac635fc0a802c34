/** mTLS as banks have it, between the adapter, the simulator and a receiver, with authorities made for the test. */
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { type Certificates, makeCertificates } from "../../../test/harness/certificates.ts";
import { eventually } from "../../../test/harness/eventually.ts";
import { startSimulatorPsp } from "../../../test/harness/simulator-psp.ts";

function certificates(t: TestContext): Certificates | null {
  const made = makeCertificates();
  t.after(() => made?.remove());
  return made;
}

test("a bank whose certificate is the only proof gets no token, and nobody else in", async (t) => {
  const made = certificates(t);
  if (made === null) return t.skip("there is no openssl here to make certificates with");
  const { path, read } = made;
  const args = ["--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")];
  const ca = read("ca.pem").toString();
  const pem = { ca, certificate: read("client.pem").toString(), privateKey: read("client.key").toString() };
  const settings = { ...pem, tokenAuth: "certificate" as const, clientSecret: "" };
  const { psp, another } = await startSimulatorPsp(t, settings, [...args, "--certificate-only"]);
  const order = { txid: "cert0000000000000000000000001", amount: 100, expiresIn: 60, description: "" };
  assert.equal((await psp.createCharge(order)).kind, "accepted");
  assert.equal((await psp.findCharge(order.txid, "immediate")).kind, "found");
  const stranger = { certificate: read("stranger.pem").toString(), privateKey: read("stranger.key").toString() };
  const outside = another({ ...settings, ...stranger });
  // In TLS 1.3 the refusal may come after the request has left.
  const { kind } = await outside.createCharge({ ...order, txid: "cert0000000000000000000000002" });
  assert.ok(kind === "unsent" || kind === "unknown", kind);
  assert.deepEqual(await psp.findCharge("cert0000000000000000000000002", "immediate"), { kind: "absent" });
});

test("with mTLS a charge and a payout go through by PEM and by PKCS#12, and callbacks show the bank's certificate", async (t) => {
  const made = certificates(t);
  if (made === null) return t.skip("there is no openssl here to make certificates with");
  const { path, read } = made;
  const args = ["--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")];
  const ca = read("ca.pem").toString();
  const pem = { ca, certificate: read("client.pem").toString(), privateKey: read("client.key").toString() };
  const { psp, another } = await startSimulatorPsp(t, pem, [...args, "--callback-ca", path("ca.pem")]);

  const shown: string[] = [];
  const receiver = createServer(
    { cert: read("receiver.pem"), key: read("receiver.key"), ca, requestCert: true },
    (request, response) => {
      shown.push((request.socket as TLSSocket).getPeerCertificate().subject.CN as string);
      request.resume().on("end", () => response.end());
    },
  );
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}/psp`;
  assert.deepEqual(await psp.registerNotifications!(url), { kind: "accepted", value: null });
  const order = { txid: "tls00000000000000000000000001", amount: 100, expiresIn: 60, description: "" };
  assert.equal((await psp.createCharge(order)).kind, "accepted");
  assert.equal((await psp.sandbox?.payCharge({ txid: order.txid }))?.kind, "accepted");
  await eventually("the callback comes", () => shown.length > 0);
  assert.equal(shown[0], "bank");

  const byP12 = another({ ca, p12: read("client.p12").toString("base64"), passphrase: "" });
  const payout = { id: "wd1", amount: 100, pixKey: "52998224725", holderDocument: "52998224725" };
  assert.equal((await byP12.payouts?.sendPayout(payout))?.kind, "accepted");

  // Nobody in without a certificate, with one of another authority, or to a bank that cannot be trusted.
  const stranger = { certificate: read("stranger.pem").toString(), privateKey: read("stranger.key").toString() };
  for (const certificates of [{ ca }, { ca, ...stranger }, { ...pem, ca: undefined }]) {
    const outside = another(certificates);
    const sent = await outside.payouts?.sendPayout({ ...payout, id: "wd2" });
    assert.equal(sent?.kind, "unsent", JSON.stringify(sent));
    assert.equal((await outside.findCharge(order.txid, "immediate")).kind, "unknown");
  }
  assert.deepEqual(await psp.payouts?.findPayout("wd2"), { kind: "absent" });
});
