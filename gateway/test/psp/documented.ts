/** The contract of `psp/psp.ts` at banks with API Pix: documented answers, made by hand, and what no document has. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Bank, PspEvent } from "../../src/psp/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { CALLBACKS, CALLS, type Call, EMPTY, STRANGE } from "./fixtures.ts";
import { type Heard, type Said, startWireServer } from "./wire-server.ts";

/** An adapter at a server that says what the test dictates; `then` is said to the question after a refusal. */
async function start(t: TestContext, bank: Bank, { asks, then }: Call) {
  const wire = await startWireServer(t);
  const events: PspEvent[] = [];
  const control = { controlUrl: `${wire.origin}/control`, controlToken: "c0ntrol" };
  const settings = { ...wire.settings, ...control, profile: "efi" as const };
  const create = (timeoutMs: number) => {
    const deps = { clock: { now: () => 0 }, log: (event: PspEvent) => events.push(event) };
    const psp = bank.create({ ...settings, timeoutMs }, deps);
    t.after(() => psp.close());
    return psp;
  };
  // A loaded machine may take its time; a server that is silent on purpose is not waited for.
  const [psp, hasty] = [create(30_000), create(500)];
  let said: Said = { status: 500, text: "" };
  wire.answer = (heard, n) => (n > 0 && then !== undefined && isQuestion(heard, asks) ? then : said);
  const say = (next: Said) => {
    said = next;
    wire.heard.length = 0;
  };
  return { wire, psp, hasty, say, events };
}

/** Whether it is another call than the one that the test is about. */
const isQuestion = ({ method }: Heard, asks: string): boolean => method === "GET" && !asks.startsWith("GET");

/** How a bank's refusal is named, in each of the shapes that there are. */
function codeOf(said: Said): string {
  if (typeof said === "function" || !("json" in said)) return "";
  const body = said.json as { type?: string; nome?: string; error?: string; erros?: { codigo: string }[] };
  const name = body.type?.split("/").at(-1) ?? body.nome ?? body.error ?? body.erros?.[0]?.codigo ?? "";
  return name.replaceAll(" ", "_");
}

/** Declares the tests of documented answers for a bank. */
export function readsDocumentedAnswers(bank: Bank): void {
  const sends = bank.capabilities({}).payouts !== null;
  readsAnswers({ bank, sends });
  readsNotifications({ bank, sends });
  tellsScopes({ bank, sends });
  doesNothingWithoutBank(bank);
}

type Answering = {
  readonly bank: Bank;
  /** Whether it sends Pix, and reports its balance and MED cases. */
  readonly sends: boolean;
};

function readsAnswers({ bank, sends }: Answering): void {
  // Each call has a server of its own; most of the time is spent in waiting for one that is silent.
  describe(`${bank.id} and documented answers`, { concurrency: true }, () => {
    for (const one of CALLS) {
      const { name, call, yes, no = [], absent = [], others = [] } = one;
      test(name, async (t) => {
        const { wire, psp, hasty, say, events } = await start(t, bank, one);
        const first = call(psp);
        if (first === undefined) {
          assert.equal(sends, false, "an adapter that sends has all of them");
          return;
        }
        await first;
        const ask = async (said: Said, kinds: readonly string[], what: string, of = psp) => {
          say(said);
          const answer = await call(of)!;
          assert.ok(kinds.includes(answer.kind), `${what}: ${JSON.stringify(said)} gave ${JSON.stringify(answer)}`);
          return answer;
        };
        for (const said of yes) await ask(said, ["accepted", "found"], "yes");
        assert.equal(`${wire.heard[0]?.method} ${wire.heard[0]?.path}`, one.asks);
        if (one.sends) assert.deepEqual(JSON.parse(wire.heard[0]!.body), one.sends);
        for (const said of no) {
          const refused = await ask(said, ["rejected"], "no");
          assert.ok(refused.kind === "rejected" && refused.httpStatus >= 400);
          // A payout's refusal is reported in our words.
          if (name !== "payouts.sendPayout") assert.equal(refused.code, codeOf(said));
          assert.ok(refused.code !== "");
        }
        for (const said of absent) await ask(said, ["absent"], "absent");
        for (const said of others) await ask(said, ["unknown"], "about something else");
        for (const [what, said, how] of STRANGE) {
          if (how !== "silent") await ask(said, ["unknown"], what);
          else if ((await ask(said, ["unknown", "unsent"], what, hasty)).kind === "unsent") {
            // A machine so busy that the connection took all the time: then nothing may have left.
            assert.equal(wire.heard.length, 0, what);
            continue;
          }
          const asked = () => wire.heard.filter((heard) => !isQuestion(heard, one.asks)).length;
          await eventually("the call to be heard", () => asked() > 0);
          assert.equal(asked(), 1, `${what}: asked once`);
        }
        const empty = one.bodyless ? ["accepted", "unknown"] : ["unknown"];
        for (const [what, said] of EMPTY) await ask(said, empty, what);
        // What the PSP says of people stays out of the log.
        assert.doesNotMatch(JSON.stringify(events), /Maria|12345678909|maria@/);
      });
    }
  });
}

function readsNotifications({ bank, sends }: Answering): void {
  test(`${bank.id} reads notifications of every shape, and takes none for another`, async (t) => {
    const { psp } = await start(t, bank, CALLS[0]!);
    for (const { what, body, pix, payouts } of CALLBACKS) {
      const read = psp.readNotification(body).map((notification) => {
        if (notification.kind === "payout_moved") return [notification.kind, notification.payoutId];
        assert.ok("pix" in notification, what);
        const { e2eId, payer, returns } = notification.pix;
        return [notification.kind, e2eId, payer?.document, returns.length];
      });
      const expected = [
        ...pix.map((one) => [one[2] > 0 ? "return_moved" : "charge_paid", ...one]),
        ...(sends ? payouts : []).map((id) => ["payout_moved", id]),
      ];
      assert.deepEqual(read, expected, what);
    }
  });
}

function tellsScopes({ bank, sends }: Answering): void {
  test(`${bank.id} names which scopes its token lacks, and why there is none`, async (t) => {
    const token = { access_token: "t", token_type: "Bearer", expires_in: 3600 };
    const scopes = "cob.read cob.write pix.read pix.write webhook.read webhook.write";
    const own =
      "pix.send gn.pix.send.read gn.balance.read gn.infractions.read gn.infractions.write gn.settings.read gn.settings.write";
    for (const [said, expected] of [
      [{ json: token }, { kind: "found", value: { missing: null } }],
      [{ json: { ...token, scope: `${scopes} ${own} other` } }, { kind: "found", value: { missing: [] } }],
      [
        { json: { ...token, scope: scopes.replace("cob.write ", "") } },
        { kind: "found", value: { missing: ["cob.write", ...(sends ? own.split(" ") : [])] } },
      ],
      [
        { status: 401, json: { error: "invalid_client" } },
        { kind: "unknown", reason: "token_http_401" },
      ],
      [
        { status: 200, text: "<html>" },
        { kind: "unknown", reason: "token_unreadable" },
      ],
    ] as [Said, unknown][]) {
      const { wire, psp } = await start(t, bank, CALLS[0]!);
      wire.token = () => said;
      assert.deepEqual(await psp.access(), expected, JSON.stringify(said));
    }
  });
}

function doesNothingWithoutBank(bank: Bank): void {
  test(`${bank.id}: a command is unsent, a question unknown`, async (t) => {
    const nobody = { baseUrl: "http://127.0.0.1:1/v2", controlUrl: "http://127.0.0.1:1/c", controlToken: "t" };
    const wire = await startWireServer(t);
    const psp = bank.create({ ...wire.settings, ...nobody }, { clock: { now: () => 0 }, log: () => {} });
    t.after(() => psp.close());
    for (const { name, call, absent, no } of CALLS) {
      const answer = await call(psp);
      if (answer === undefined) continue;
      assert.deepEqual([answer.kind], [no === undefined || absent ? "unknown" : "unsent"], name);
    }
  });
}
