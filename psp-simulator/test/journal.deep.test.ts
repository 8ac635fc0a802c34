import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  type Json,
  newTxid,
  readLog,
  register,
  runToEnd,
  type Simulator,
  startReceiver,
  until,
  withSimulator,
} from "./harness.ts";

const state = async (simulator: Simulator) => (await simulator.control("GET", "/control/state")).body;

// Each test has its own program and folder, so they run side by side.
describe("the journal", { concurrency: 3 }, () => {
  test("kill -9 and a restart lose nothing that was answered, token included", () =>
    withSimulator(async (simulator) => {
      const receiver = await startReceiver();
      await register(simulator, receiver);
      await simulator.behave({ putMode: "efi", returnDelayMs: 10 });
      const paid = await simulator.charge("10.00");
      const e2eId = await simulator.pay(paid);
      await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "2.50" });
      await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r2`, { valor: "1.00", descricao: "manual" });
      const removed = await simulator.charge();
      await simulator.api("PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
      await until("the callbacks are reported", () => receiver.pixOf(paid).length === 2);
      await until("nothing is owed", async () => (await state(simulator)).callbacks.pending === 0);

      const reads = ["GET /v2/webhook", `GET /v2/pix/${e2eId}`, `GET /v2/cob/${paid}`, `GET /v2/cob/${removed}`];
      const inspect = async () => {
        const answers: Json[] = [];
        for (const read of reads) answers.push((await simulator.api("GET", read.slice(4))).body);
        const { books, charges, pix, returns } = await state(simulator);
        const { body: behaviour } = await simulator.control("GET", "/control/behaviour");
        return { answers, books, charges, pix, returns, behaviour };
      };
      const before = await inspect();
      await simulator.kill();
      await simulator.restart();
      assert.deepEqual(await inspect(), before);
      assert.equal(before.books.balanceCentavos, 750);
      assert.equal(before.books.ok, true);
      await receiver.close();
    }));

  test("under load, every PUT that was answered before a kill -9 is there after it", () =>
    withSimulator(async (simulator) => {
      const body = { calendario: {}, valor: { original: "1.00" }, chave: simulator.credentials.pixKey };
      const answered: string[] = [];
      let running = true;
      const clients = Array.from({ length: 16 }, async () => {
        while (running) {
          const txid = newTxid();
          try {
            const answer = await simulator.api("PUT", `/v2/cob/${txid}`, body);
            if (answer.status === 201) answered.push(txid);
          } catch {
            return;
          }
        }
      });
      // Each is written to disk before it is answered: 400 take one second, and ten beside a busy neighbour.
      await until("some hundreds are answered", () => answered.length > 400, 60_000);
      await simulator.kill();
      running = false;
      await Promise.all(clients);
      await simulator.restart();
      const { items } = (await simulator.control("GET", "/control/charges?limit=10000")).body;
      const kept = new Set(items.map((item: Json) => item.txid));
      assert.deepEqual(
        answered.filter((txid) => !kept.has(txid)),
        [],
      );
      const logged = new Set(readLog(simulator.folder).map((entry) => entry.txid));
      assert.deepEqual(
        answered.filter((txid) => !logged.has(txid)),
        [],
      );
    }));

  test("a torn last line is cut off, in the journal and in the log, and the program goes on", () =>
    withSimulator(async (simulator) => {
      const txid = await simulator.charge("5.00");
      await simulator.kill();
      for (const file of ["journal.ndjson", "log.ndjson"]) {
        appendFileSync(join(simulator.folder, file), '{"charge":{"txid":"torn');
      }
      await simulator.restart();
      assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).status, 200);
      await simulator.pay(txid);
      await simulator.kill();
      await simulator.restart();
      assert.equal((await state(simulator)).books.balanceCentavos, 500);
      const seqs = readLog(simulator.folder).map((entry) => entry.seq);
      assert.deepEqual(
        seqs,
        seqs.map((_, i) => i + 1),
      );
    }));

  test("log entries that only the journal has are brought back", () =>
    withSimulator(async (simulator) => {
      const txid = await simulator.charge();
      await simulator.pay(txid);
      await simulator.kill();
      const path = join(simulator.folder, "log.ndjson");
      const before = readLog(simulator.folder);
      truncateSync(path, statSync(path).size - 30);
      assert.throws(() => readLog(simulator.folder));
      await simulator.restart();
      assert.deepEqual(readLog(simulator.folder), before);
    }));

  test("a journal that is broken in the middle is not started on, and the line is named", () =>
    withSimulator(async (simulator) => {
      await simulator.charge();
      await simulator.charge();
      await simulator.kill();
      const path = join(simulator.folder, "journal.ndjson");
      const lines = readFileSync(path, "utf8").split("\n");
      writeFileSync(path, [lines[0]!.slice(0, 20), ...lines.slice(1)].join("\n"));
      const refused = await runToEnd(["--port", "0", "--data-dir", simulator.folder]);
      assert.equal(refused.code, 1);
      assert.match(refused.errors, /^psp-simulator: .*journal.ndjson: line 1 is not JSON/);
    }));

  test("callbacks owed at a kill -9 are sent after the restart, with the tries they had left", () =>
    withSimulator(async (simulator) => {
      const receiver = await startReceiver();
      receiver.answer = (_request, response) => {
        response.statusCode = 500;
        response.end();
      };
      await register(simulator, receiver);
      await simulator.behave({ callbackRetry: { firstMs: 1000, capMs: 1000, tries: 5 } });
      const txid = await simulator.charge();
      await simulator.pay(txid);
      await until("it was tried once", () => readLog(simulator.folder).some((entry) => entry.type === "callback"));
      await simulator.kill();
      // One on a machine that kills it within the second before the next try.
      const tries = receiver.pixOf(txid).length;
      assert.ok(tries >= 1 && tries < 5, `${tries} tries`);
      receiver.answer = (_request, response) => {
        response.end();
      };
      await simulator.restart();
      await until("it is reported", () => receiver.pixOf(txid).length === tries + 1);
      await until("nothing is owed", async () => (await state(simulator)).callbacks.pending === 0);
      const attempts = readLog(simulator.folder).filter((entry) => entry.type === "callback");
      assert.deepEqual(
        attempts.map((entry) => entry.attempt),
        Array.from({ length: tries + 1 }, (_, i) => i + 1),
      );
      await receiver.close();
    }));

  test("returns under way and charges that would pay themselves go on after a restart", () =>
    withSimulator(async (simulator) => {
      await simulator.behave({ returnDelayMs: 400, autoPay: { probability: 1, delayMs: 400 } });
      const later = await simulator.charge("1.00");
      const { e2eId } = (await simulator.control("POST", "/control/pix", { amountCentavos: 900 })).body;
      await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/goes`, { valor: "1.00" });
      await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/waits`, { valor: "1.00", descricao: "manual" });
      await simulator.kill();
      await simulator.restart();
      const statusOf = async (id: string) =>
        (await simulator.api("GET", `/v2/pix/${e2eId}/devolucao/${id}`)).body.status as string;
      await until("the return settles", async () => (await statusOf("goes")) === "DEVOLVIDO");
      await until("the charge is paid", async () => {
        return (await simulator.api("GET", `/v2/cob/${later}`)).body.status === "CONCLUIDA";
      });
      assert.equal(await statusOf("waits"), "EM_PROCESSAMENTO");
    }));

  test("payouts, keys and cases outlive a kill -9, and payouts under way go on", () =>
    withSimulator(async (simulator) => {
      const receiver = await startReceiver();
      await register(simulator, receiver);
      const { pixKey } = simulator.credentials;
      const put = (id: string, chave: string) =>
        simulator.api("PUT", `/v3/gn/pix/${id}`, { valor: "3.00", pagador: { chave: pixKey }, favorecido: { chave } });
      const settle = (id: string, body: Json) => simulator.control("POST", `/control/payouts/${id}/settle`, body);
      await simulator.behave({ payoutDelayMs: 10, readLagMs: 0 });
      const { e2eId } = (await simulator.control("POST", "/control/pix", { amountCentavos: 900 })).body;
      const { id } = (await simulator.control("POST", "/control/infractions", { e2eId, amountCentavos: 200 })).body;
      const second = (await simulator.control("POST", "/control/pix", { amountCentavos: 50 })).body.e2eId;
      const closed = (await simulator.control("POST", "/control/infractions", { e2eId: second })).body.id;
      await simulator.control("POST", `/control/infractions/${closed}/resolve`, { outcome: "accepted" });
      await simulator.control("PUT", "/control/keys/gone@example.com", { document: null });
      await put("made", "a@example.com");
      await put("fails", "fail@pixgate.test");
      await put("waits", "manual@pixgate.test");
      await until("two end", async () => (await state(simulator)).payouts.open === 1);
      await settle("made", { outcome: "reverse", amountCentavos: 100 });
      await until("nothing is owed", async () => (await state(simulator)).callbacks.pending === 0);
      await simulator.control("PATCH", "/control/behaviour", { payoutDelayMs: 500 });
      assert.equal((await put("goes", "a@example.com")).status, 201);

      const inspect = async () => {
        const window = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
        const answers: Json[] = [];
        for (const path of ["pix/enviados/id-envio/made", "pix/enviados/id-envio/fails", `infracoes?${window}`]) {
          answers.push((await simulator.api("GET", `/v2/gn/${path}`)).body);
        }
        const { books, infractions } = await state(simulator);
        return { answers, books, infractions };
      };
      const before = await inspect();
      assert.deepEqual([before.books.balanceCentavos, before.books.blockedCentavos], [900 - 200 - 300 - 300, 200]);
      await simulator.kill();
      await simulator.restart();
      assert.deepEqual(await inspect(), before);
      assert.equal((await put("new", "gone@example.com")).status, 404);
      assert.equal((await put("made", "a@example.com")).status, 409);
      await until("the payout under way ends", async () => {
        return (await simulator.api("GET", "/v2/gn/pix/enviados/id-envio/goes")).body.status === "REALIZADO";
      });
      assert.equal((await settle("waits", { outcome: "complete" })).status, 200);
      const types = readLog(simulator.folder).map((entry) => entry.type);
      assert.equal(types.filter((type) => type === "payout.settled").length, 3);
      assert.equal(
        (await simulator.control("POST", `/control/infractions/${id}/resolve`, { outcome: "rejected" })).status,
        200,
      );
      await receiver.close();
    }));

  test("a journal that is mostly history is compacted at start, with the same truth in it", () =>
    withSimulator(async (simulator) => {
      const txid = await simulator.charge("7.00");
      for (let i = 1; i <= 20; i++) await simulator.api("PATCH", `/v2/cob/${txid}`, { valor: { original: `${i}.00` } });
      const { e2eId } = (await simulator.control("POST", "/control/pix", { amountCentavos: 33 })).body;
      await simulator.control("POST", "/control/infractions", { e2eId, amountCentavos: 20 });
      const pagador = { chave: simulator.credentials.pixKey };
      const favorecido = { chave: "manual@pixgate.test" };
      await simulator.api("PUT", "/v3/gn/pix/sent", { valor: "0.03", pagador, favorecido });
      await simulator.control("PUT", "/control/keys/gone@example.com", { document: null });
      for (let i = 0; i < 1100; i++) await simulator.control("PATCH", "/control/behaviour", { returnDelayMs: i });
      await simulator.kill();
      const path = join(simulator.folder, "journal.ndjson");
      const before = statSync(path).size;
      await simulator.restart();
      assert.ok(statSync(path).size < before / 5);
      const inspect = async () => ({
        cob: (await simulator.api("GET", `/v2/cob/${txid}`)).body,
        third: (await simulator.api("GET", `/v2/cob/${txid}?revisao=3`)).body.valor.original,
        delay: (await simulator.control("GET", "/control/behaviour")).body.returnDelayMs,
        books: (await state(simulator)).books,
        sent: (await simulator.api("GET", "/v2/gn/pix/enviados/id-envio/sent")).body,
      });
      const compacted = await inspect();
      assert.deepEqual([compacted.cob.revisao, compacted.third, compacted.delay], [20, "3.00", 1099]);
      assert.deepEqual([compacted.books.balanceCentavos, compacted.books.ok], [30, true]);
      await simulator.kill();
      await simulator.restart();
      assert.deepEqual(await inspect(), compacted);
      assert.deepEqual([compacted.books.blockedCentavos, compacted.sent.valor], [20, "0.03"]);
      const nobody = await simulator.api("PUT", "/v3/gn/pix/b", {
        valor: "0.03",
        pagador,
        favorecido: { chave: "gone@example.com" },
      });
      assert.equal(nobody.status, 404);
    }));

  test("the books say when the journal's balances do not add up", () =>
    withSimulator(async (simulator) => {
      await simulator.control("POST", "/control/pix", { amountCentavos: 500 });
      await simulator.kill();
      const path = join(simulator.folder, "journal.ndjson");
      writeFileSync(path, readFileSync(path, "utf8").replace('"amountCentavos":500', '"amountCentavos":501'));
      await simulator.restart();
      const { books } = await state(simulator);
      assert.deepEqual([books.ok, books.mismatches], [false, 1]);
    }));
});
