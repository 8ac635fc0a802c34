/** The contract of `psp/psp.ts` for a bank that pays out and issues no charges. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bench } from "./bench.ts";

export function paysOnlyContract(bench: () => Bench): void {
  test("no charge is issued, nothing received is shown, and the bank is asked for none of it", async () => {
    const { psp, newTxid, control } = bench();
    const order = { txid: newTxid(), amount: 100, expiresIn: 60, description: "" };
    const e2eId = "E00000000202601010000abcdefghijk";
    assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason: "issues_no_charges" });
    assert.equal((await psp.cancelCharge(order.txid, "immediate")).kind, "unsent");
    assert.equal((await psp.returnPix({ e2eId, id: "r1", amount: 1 })).kind, "unsent");
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "absent" });
    assert.deepEqual(await psp.findPix(e2eId), { kind: "absent" });
    assert.deepEqual(await psp.findReturn({ e2eId, id: "r1" }), { kind: "absent" });
    const listed = await psp.listPix({ from: new Date(0), to: new Date(), page: 0 });
    assert.deepEqual(listed, { kind: "found", value: { pix: [], nextPage: null } });
    assert.deepEqual((await control("GET", "/charges")).items, []);
  });

  test("the probe of an institution that is down asks the bank", async () => {
    const { hasty, faults, control } = bench();
    await faults("*", "error5xxBefore", { status: 503 });
    assert.equal((await hasty.findCharge("probe", "immediate")).kind, "unknown");
    await control("DELETE", "/behaviour");
    assert.equal((await hasty.findCharge("probe", "immediate")).kind, "absent");
  });

  test("an address that it does not take is rejected, and the earlier one stays", async () => {
    const { psp } = bench();
    const before = await psp.findNotifications?.();
    assert.equal((await psp.registerNotifications?.("ftp://x"))?.kind, "rejected");
    assert.deepEqual(await psp.findNotifications?.(), before);
  });
}
