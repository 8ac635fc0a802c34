/** `POST /withdrawals` and what is refused (interface, Withdrawal; contract, section 3, "withdrawal request" to "IP list"). */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { sql } from "../../src/db/sql.ts";
import { dayPeriodOf, nightOf } from "../../src/withdrawals/limits.ts";
import { Client } from "../harness/client.ts";
import { eventually, farFromTheHour } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf, newAccount } from "./merchant.ts";
import { balancesOf, give, type Merchant, newMerchant } from "./money.ts";
import { pay, transfersOf } from "./payments.ts";
import { ask, becomes, MANUAL, MARIA, payoutsOf, settle, show, type Withdrawal, waiting, withdraw } from "./payouts.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const patch = async (accountId: string, body: Record<string, unknown>) => {
  const reply = await gateway.operator.patch(`/accounts/${accountId}`, body);
  assert.equal(reply.status, 200, reply.text);
};
/** A merchant with money. */
const rich = async (amount = 1_000, subAccounts: string[] = []): Promise<Merchant> => {
  const merchant = await newMerchant(gateway, subAccounts);
  await give(gateway, merchant.accountId, amount);
  return merchant;
};
const feeIs = (merchant: Merchant, fee: Record<string, number>) =>
  patch(merchant.accountId, { fees: { withdrawal: fee } });
/** Everything that was sent has ended, so that nothing moves by itself. */
const quiet = async () => {
  const { rows } = await gateway.running.ctx.db.query<{ account_id: string; withdrawal_id: string }>(sql`
    select w.account_id, w.withdrawal_id from withdrawals w where w.status in ('pending', 'processing') and w.pix_key <> 'manual@pixgate.test'`);
  assert.deepEqual(rows, []);
};

describe("A withdrawal", () => {
  test("is held whole and answered with exactly the fields of the interface", {
    rules: [
      "withdrawal.answer.id",
      "withdrawal.answer.amount",
      "withdrawal.answer.feeAmount",
      "withdrawal.answer.netAmount",
      "withdrawal.answer.status",
      "withdrawal.answer.snapshotHolderName",
      "withdrawal.answer.snapshotHolderDocument",
      "withdrawal.answer.createdAt",
      "withdrawal.answer.projectId",
      "withdrawal.answer.snapshotPixKey",
      "withdrawal.answer.snapshotPixKeyType",
      "withdrawal.answer.externalReference",
      "withdrawal.projectId",
      "withdrawal.externalReference",
      "withdrawal.state.1",
    ],
  }, async () => {
    const { client } = await rich(100);
    const project = await client.post<{ id: string }>("/projects", { name: "P", color: "#123456" });
    const named = { projectId: project.body.id, externalReference: "saque-1" };
    const made = await withdraw(client, { ...MANUAL, ...named, amount: 40 });
    assert.match(made.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(Math.abs(Date.parse(made.createdAt) - Date.now()) < 60_000);
    assert.ok(made.status === "pending" || made.status === "processing");
    assert.deepEqual({ ...made, id: "", createdAt: "", status: "" }, {
      id: "", amount: 40, feeAmount: 0, netAmount: 40, currency: "BRL", status: "", snapshotHolderName: "Maria Silva",
      snapshotHolderDocument: "12345678909", snapshotPixKey: "manual@pixgate.test", snapshotPixKeyType: "email",
      ...named, failureReason: null, pspReference: null, createdAt: "",
    }); // biome-ignore format: a table
    assert.deepEqual(await balancesOf(client), { available: 6_000, promotional: 0, held: 4_000, total: 10_000 });
    assert.deepEqual(await transfersOf(gateway, made.id), ["withdrawal_held 4000 available → held"]);
    await settle(client, made.id, { outcome: "complete" });
  });

  test("leaves out what was left out, and takes null for it", async () => {
    const { client } = await rich(100);
    const made = await withdraw(client, {
      ...MANUAL,
      amount: 1,
      projectId: null,
      externalReference: null,
      netAmount: null,
    });
    assert.ok(!("projectId" in made) && !("externalReference" in made) && !("processedAt" in made));
    await settle(client, made.id, { outcome: "fail" });
  });

  test("takes one of amount and netAmount, and refuses both and none", {
    rules: ["withdrawal.amount", "withdrawal.netAmount"],
  }, async () => {
    const { client } = await rich(100);
    await nothingMoves(gateway, async () => {
      assertInvalid(await ask(client, { amount: 5, netAmount: 5 }), ["netAmount"]);
      assertInvalid(await client.post("/withdrawals", MARIA), ["amount"]);
    });
  });

  test("with amount costs that; with netAmount the fee is on top, and both add up", {
    rules: ["withdrawal.amount", "withdrawal.netAmount"],
  }, async () => {
    const merchant = await rich(1_000);
    const amounts = async (more: Record<string, unknown>) => {
      const { id, amount, feeAmount, netAmount } = await withdraw(merchant.client, { ...MANUAL, ...more });
      await settle(merchant.client, id, { outcome: "fail" });
      return [amount, feeAmount, netAmount];
    };
    await feeIs(merchant, { fixed: 1 });
    assert.deepEqual(await amounts({ amount: 50 }), [50, 1, 49]);
    assert.deepEqual(await amounts({ netAmount: 50 }), [51, 1, 50]);
    await feeIs(merchant, { fixed: 1, percent: 0.99 });
    assert.deepEqual(await amounts({ amount: 100 }), [100, 1.99, 98.01]);
    assert.deepEqual(await amounts({ netAmount: 98.01 }), [100, 1.99, 98.01]);
    await feeIs(merchant, { fixed: 0, percent: 50, max: 2 });
    assert.deepEqual(await amounts({ netAmount: 3 }), [5, 2, 3]);
    assert.deepEqual(await amounts({ netAmount: 1.5 }), [3, 1.5, 1.5]);
    assert.equal((await balancesOf(merchant.client)).total, 100_000);
  });

  test("leaves the receiver 0.01 at least", async () => {
    const merchant = await rich(100);
    await feeIs(merchant, { fixed: 1 });
    await nothingMoves(gateway, async () => {
      for (const amount of [0.5, 1]) assertInvalid(await ask(merchant.client, { amount }), ["amount"]);
    });
    const least = await withdraw(merchant.client, { ...MANUAL, amount: 1.01 });
    assert.equal(least.netAmount, 0.01);
    await settle(merchant.client, least.id, { outcome: "fail" });
    await feeIs(merchant, { fixed: 0, percent: 100 });
    await nothingMoves(gateway, async () => {
      assertInvalid(await ask(merchant.client, { amount: 5 }), ["amount"]);
      assertInvalid(await ask(merchant.client, { netAmount: 5 }), ["netAmount"]);
    });
  });

  test("of any amount but BRL with two decimals up to 9,999,999,999.99 is refused by name", async () => {
    const { client } = await rich(10);
    await nothingMoves(gateway, async () => {
      for (const field of ["amount", "netAmount"]) {
        for (const value of [0, -1, 0.001, 1.005, 10_000_000_000, "10", true, [10]]) {
          assertInvalid(await ask(client, { [field]: value }), [field], `${field} ${JSON.stringify(value)}`);
        }
      }
    });
  });

  test("names a receiver: every field is required, known and of its form", {
    rules: [
      "withdrawal.holderName",
      "withdrawal.holderDocument",
      "withdrawal.holderDocumentType",
      "withdrawal.refused",
    ],
  }, async () => {
    const { client } = await rich(100);
    await nothingMoves(gateway, async () => {
      for (const field of Object.keys(MARIA)) {
        assertInvalid(await ask(client, { [field]: undefined }), [field], field);
        assertInvalid(await ask(client, { [field]: null }), [field], field);
        assertInvalid(await ask(client, { [field]: 1 }), [field], field);
      }
      for (const [field, value] of [
        ["holderName", ""],
        ["holderName", "x".repeat(256)],
        ["holderDocument", "12345678900"],
        ["holderDocument", "11222333000181"],
        ["holderDocument", ""],
        ["holderDocumentType", "rg"],
        ["pixKeyType", "CPF"],
        ["pixKey", ""],
        ["externalReference", "x".repeat(256)],
        ["projectId", "1"],
        ["metadata", {}],
      ] as const) {
        assertInvalid(await ask(client, { [field]: value }), [field], `${field} ${String(value)}`);
      }
    });
  });

  test("pays a key of every type in its canonical form, `evp` being another name for `random`", {
    rules: ["withdrawal.pixKey", "withdrawal.pixKeyType"],
  }, async () => {
    const { client } = await rich(100);
    const uuid = "123e4567-e89b-42d3-a456-426614174000";
    for (const [pixKeyType, pixKey, canonical, more] of [
      ["cpf", "123.456.789-09", "12345678909", {}],
      [
        "cnpj",
        "12.abc.345/01de-35",
        "12ABC34501DE35",
        { holderDocument: "12ABC34501DE35", holderDocumentType: "cnpj" },
      ],
      ["email", "Maria@Example.com", "maria@example.com", {}],
      ["phone", "+55 (11) 99999-0000", "+5511999990000", {}],
      ["random", uuid.toUpperCase(), uuid, {}],
      ["evp", uuid, uuid, {}],
    ] as const) {
      const made = await withdraw(client, { pixKey, pixKeyType, ...more, amount: 1 });
      const shownType = pixKeyType === "evp" ? "random" : pixKeyType;
      assert.deepEqual([made.snapshotPixKey, made.snapshotPixKeyType], [canonical, shownType]);
      await becomes(client, made.id, "completed");
      const [payout] = await payoutsOf(gateway, made.id);
      assert.equal(payout!.receiver.chave, canonical);
    }
  });

  test("to a key that does not fit its type is PIX_KEY_TYPE_MISMATCH", {
    rules: ["withdrawal.pixKeyType", "withdrawal.refused"],
  }, async () => {
    const { client } = await rich(100);
    await nothingMoves(gateway, async () => {
      for (const [pixKeyType, pixKey] of [
        ["cpf", "12345678900"],
        ["cpf", "11111111111"],
        ["cnpj", "11222333000182"],
        ["cnpj", "12345678909"],
        ["email", "maria"],
        ["phone", "11999990000"],
        ["phone", "+5501999990000"],
        ["random", "12345678909"],
        ["evp", "maria@example.com"],
      ]) {
        const refused = assertRefused(await ask(client, { pixKeyType, pixKey }), 400, "PIX_KEY_TYPE_MISMATCH", pixKey);
        assert.deepEqual([refused.details.field, refused.details.pixKeyType], ["pixKey", pixKeyType]);
      }
    });
  });

  test("to a CPF or CNPJ key of somebody else is HOLDER_MISMATCH at once", {
    rules: ["withdrawal.holderDocument"],
  }, async () => {
    const { client } = await rich(100);
    await nothingMoves(gateway, async () => {
      const other = { pixKeyType: "cpf", pixKey: "52998224725" };
      assertRefused(await ask(client, other), 400, "HOLDER_MISMATCH");
      assertRefused(await ask(client, { pixKeyType: "cnpj", pixKey: "11222333000181" }), 400, "HOLDER_MISMATCH");
    });
  });

  test("needs an institution that can send: PAYOUT_UNAVAILABLE, and nothing is held", {
    rules: ["withdrawal.errors"],
  }, async () => {
    const { accountId, client } = await rich(100);
    await gateway.running.ctx.db.query(
      sql`update account_institutions set enabled = false where account_id = ${accountId}`,
    );
    gateway.running.ctx.psps.forget();
    await nothingMoves(gateway, async () => assertRefused(await ask(client), 400, "PAYOUT_UNAVAILABLE"));
    assert.equal((await balancesOf(client)).held, 0);
  });

  test("of an unknown project, or another wallet's, is a 404 that names it", {
    rules: ["withdrawal.projectId", "withdrawal.errors"],
  }, async () => {
    const { client } = await rich(100, ["loja"]);
    const project = await client.post<{ id: string }>("/projects", { name: "P", color: "#123456" }, as("loja"));
    await nothingMoves(gateway, async () => {
      for (const projectId of [project.body.id, "01a1fd9f-89a3-7046-906a-be1b20d38356"]) {
        const { details } = assertRefused(await ask(client, { projectId }), 404, "RESOURCE_NOT_FOUND");
        assert.deepEqual([details.resource, details.id], ["project", projectId]);
      }
    });
  });

  test("needs a token and WITHDRAWAL:WRITE, and an account and a wallet that are not suspended", {
    rules: ["route.withdrawals", "withdrawal.errors"],
  }, async () => {
    const { accountId, client } = await rich(100, ["loja"]);
    const reader = await credentialOf(gateway, accountId, { permissions: ["PIX:WRITE", "TRANSACTION:READ"] });
    const writer = await credentialOf(gateway, accountId, { permissions: ["WITHDRAWAL:WRITE"] });
    await nothingMoves(gateway, async () => {
      assertRefused(await client.post("/withdrawals", MARIA, { token: null }), 401, "TOKEN_MISSING");
      const { details } = assertRefused(await ask(reader), 403, "PERMISSION_DENIED");
      assert.equal(details.required, "WITHDRAWAL:WRITE");
    });
    const made = await withdraw(writer, { ...MANUAL });
    await settle(client, made.id, { outcome: "fail" });
    await patch(accountId, { status: "suspended" });
    await nothingMoves(gateway, async () => assertRefused(await ask(client), 403, "ACCOUNT_SUSPENDED"));
    await patch(accountId, { status: "approved" });
    await gateway.operator.patch(`/accounts/${accountId}/sub-accounts/loja`, { status: "suspended" });
    // For a second the gateway may still take the account of the first credential for suspended.
    const later = await credentialOf(gateway, accountId);
    await nothingMoves(gateway, async () =>
      assertRefused(await ask(later, {}, { subAccount: "loja" }), 403, "SUB_ACCOUNT_SUSPENDED"),
    );
  });

  test("from an address outside the credential's list is IP_NOT_ALLOWED, before the body is checked", {
    rules: ["withdrawal.ip", "auth.6"],
  }, async () => {
    const { accountId } = await rich(100);
    const login = async (allowedIps: string[]) => {
      const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
        `/accounts/${accountId}/credentials`,
        { name: "listed", permissions: ["FULL_ACCESS"], allowedIps },
      );
      assert.equal(made.status, 201, made.text);
      return new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
    };
    const elsewhere = await login(["192.0.2.7", "2001:db8::/32"]);
    await nothingMoves(gateway, async () => {
      assertRefused(await ask(elsewhere), 403, "IP_NOT_ALLOWED");
      assertRefused(await elsewhere.post("/withdrawals", { nonsense: 1 }), 403, "IP_NOT_ALLOWED");
    });
    // The list is about sending money only.
    assert.equal((await elsewhere.get("/withdrawals")).status, 200);
    const here = await login(["192.0.2.7", "127.0.0.0/8"]);
    const made = await withdraw(here, { ...MANUAL });
    await settle(here, made.id, { outcome: "fail" });
  });

  test("of more than is available is INSUFFICIENT_BALANCE: at it, a centavo more, and by promotional credit", {
    rules: ["withdrawal.refused"],
  }, async () => {
    const merchant = await rich(10);
    const { accountId, client } = merchant;
    await give(gateway, accountId, 500, { balance: "promotional" });
    await feeIs(merchant, { fixed: 1 });
    const short = async (more: Record<string, unknown>, required: number, available: number) => {
      const { details } = await nothingMoves(gateway, async () =>
        assertRefused(await ask(client, more), 400, "INSUFFICIENT_BALANCE"),
      );
      assert.deepEqual([details.available, details.required], [available, required]);
    };
    await short({ amount: 10.01 }, 10.01, 10);
    await short({ netAmount: 9.01 }, 10.01, 10);
    const whole = await waiting(client, { netAmount: 9 });
    assert.deepEqual(await balancesOf(client), { available: 0, promotional: 50_000, held: 1_000, total: 51_000 });
    // What is held is not available.
    await short({ amount: 1.01 }, 1.01, 0);
    await settle(client, whole.id, { outcome: "complete" });
    await short({ amount: 1.01 }, 1.01, 0);
  });

  test("takes from the wallet that the call names, and from no other", async () => {
    const { client } = await rich(100, ["loja"]);
    await client.post("/transfers", { subAccount: "loja", amount: 30 });
    await nothingMoves(gateway, async () =>
      assertRefused(await ask(client, { amount: 30.01 }, { subAccount: "loja" }), 400, "INSUFFICIENT_BALANCE"),
    );
    const made = await withdraw(client, { ...MANUAL, amount: 30 }, "loja");
    assert.deepEqual([(await balancesOf(client, "loja")).held, (await balancesOf(client)).available], [3_000, 7_000]);
    assert.equal((await client.get(`/withdrawals/${made.id}`)).status, 404);
    await settle(client, made.id, { outcome: "complete" }, "loja");
    assert.deepEqual([(await balancesOf(client, "loja")).total, (await balancesOf(client)).total], [0, 7_000]);
  });

  test("stops while a MED has taken the balance below zero", async () => {
    const { client } = await rich(5);
    const payment = await pay(client, 20);
    const spent = await withdraw(client, { amount: 20 });
    await becomes(client, spent.id, "completed");
    // The PSP gives the payment back for fraud, whatever the balance is.
    const back = await gateway.simulator.post(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 2_000 });
    assert.equal(back.status, 200, back.text);
    await eventually("the debt", async () => (await balancesOf(client)).available === -1_500);
    const { details } = await nothingMoves(gateway, async () =>
      assertRefused(await ask(client, { amount: 0.01 }), 400, "INSUFFICIENT_BALANCE"),
    );
    assert.deepEqual([details.available, details.required], [-15, 0.01]);
  });
});

describe("The limits of an account", () => {
  const exceeds = async (client: Client, amount: number) => {
    const { details } = await nothingMoves(gateway, async () =>
      assertRefused(await ask(client, { amount }), 400, "WITHDRAWAL_LIMIT_EXCEEDED"),
    );
    return details;
  };
  const spend = async (client: Client, amount: number, outcome: "complete" | "fail" = "complete") => {
    const { id } = await withdraw(client, { ...MANUAL, amount });
    return settle(client, id, { outcome });
  };
  type Sums = { readonly hours: string[]; readonly amounts: string[]; readonly counts: number[] };
  /** What the rows of withdrawals say of each hour of an account, and what is counted. */
  const summed = async (accountId: string): Promise<Sums> => {
    const { rows } = await gateway.running.ctx.db.query<Sums>(sql`
      select array_agg(hour order by hour) as hours, array_agg(sum order by hour) as amounts, array_agg(n order by hour) as counts from (
        select (floor(extract(epoch from counted_at) / 3600) * 3600000)::bigint as hour,
          (sum(amount) filter (where status <> 'failed'))::bigint as sum,
          (count(*) filter (where status <> 'failed'))::int as n
        from withdrawals where account_id = ${accountId} group by 1) s`);
    return rows[0]!;
  };
  const counted = async (accountId: string): Promise<Sums> => {
    const { rows } = await gateway.running.ctx.db.query<Sums>(
      sql`select hours, amounts, counts from withdrawal_sums where account_id = ${accountId}`,
    );
    return rows[0]!;
  };
  beforeEach(farFromTheHour);

  /** As if it had been asked for at another time. */
  const moveTo = async (accountId: string, id: string, when: number) => {
    const { db } = gateway.running.ctx;
    await db.query(
      sql`update withdrawals set created_at = ${new Date(when)}, counted_at = ${new Date(when)} where withdrawal_id = ${id}`,
    );
    const { hours, amounts, counts } = await summed(accountId);
    await db.query(
      sql`update withdrawal_sums set hours = ${hours}, amounts = ${amounts}, counts = ${counts} where account_id = ${accountId}`,
    );
  };

  test("for each withdrawal: below it, at it, a centavo above it", { rules: ["withdrawal.refused"] }, async () => {
    const { accountId, client } = await rich();
    await patch(accountId, { limits: { perWithdrawal: 50 } });
    await spend(client, 49.99);
    await spend(client, 50);
    const details = await exceeds(client, 50.01);
    assert.deepEqual([details.limit, details.used, details.resetsAt, details.period], [50, 0, null, "withdrawal"]);
  });

  test("for each day in São Paulo: what did not fail counts, in every wallet, until midnight", {
    rules: ["withdrawal.refused"],
  }, async () => {
    const { accountId, client } = await rich(1_000, ["loja"]);
    await client.post("/transfers", { subAccount: "loja", amount: 100 });
    await patch(accountId, { limits: { perDay: 100 } });
    const first = await spend(client, 60);
    await spend(client, 30, "fail");
    const inShop = await waiting(client, { amount: 39.99 }, "loja");
    const details = await exceeds(client, 0.02);
    assert.deepEqual([details.limit, details.used, details.period], [100, 99.99, "day"]);
    const { from, to } = dayPeriodOf(new Date());
    assert.equal(details.resetsAt, new Date(to).toISOString());
    await spend(client, 0.01);
    assert.equal((await exceeds(client, 0.01)).used, 100);
    // Yesterday's last moment does not count; midnight does.
    await moveTo(accountId, first.id, from - 1);
    assert.equal((await exceeds(client, 60.01)).used, 40);
    await moveTo(accountId, first.id, from);
    assert.equal((await exceeds(client, 60.01)).used, 100);
    await settle(client, inShop.id, { outcome: "fail" }, "loja");
    await spend(client, 39.99);
    assert.deepEqual(await counted(accountId), await summed(accountId));
  });

  test("for each night (20:00 to 06:00): counts by night only, and a day's limit counts beside it", async () => {
    const { accountId, client } = await rich();
    await patch(accountId, { limits: { perNight: 10, perDay: 500 } });
    const night = nightOf(new Date());
    if (night === null) {
      const spent = await spend(client, 10.01);
      assert.equal(spent.status, "completed");
    } else {
      const first = await spend(client, 10);
      const details = await exceeds(client, 0.01);
      assert.deepEqual([details.limit, details.used, details.period], [10, 10, "night"]);
      assert.equal(details.resetsAt, new Date(night.to).toISOString());
      await moveTo(accountId, first.id, night.from - 1);
      await spend(client, 10);
    }
    await patch(accountId, { limits: { perNight: null, perDay: 15 } });
    assert.equal((await exceeds(client, 15)).period, "day");
  });

  test("do not exist unless the operator sets them", async () => {
    const { client } = await rich(2_000_000);
    assert.equal((await spend(client, 1_999_999.99)).status, "completed");
  });

  test("are in GET /account of every wallet, with what is left of them and when they begin again", async () => {
    const { accountId, client } = await rich(1_000, ["loja"]);
    type Limits = Record<
      string,
      { limit: number | null; used: number; remaining: number | null; resetsAt: string | null }
    >;
    const limitsOf = async (wallet: string | null) =>
      (await client.get<{ limits: Limits }>("/account", as(wallet))).body.limits;
    const before = await limitsOf(null);
    for (const one of Object.values(before)) assert.deepEqual([one.limit, one.used, one.remaining], [null, 0, null]);
    await patch(accountId, {
      limits: { perWithdrawal: 50, perDay: 100, perNight: 70 },
      payouts: { perHour: { count: 5, sum: 80 } },
    });
    const first = await spend(client, 30.01);
    await spend(client, 20, "fail");
    const now = new Date(first.createdAt);
    const night = nightOf(now);
    const hour = new Date(Math.floor(now.getTime() / 3_600_000 + 1) * 3_600_000).toISOString();
    const expected = {
      perWithdrawal: { limit: 50, used: 0, remaining: 50, resetsAt: null },
      perDay: { limit: 100, used: 30.01, remaining: 69.99, resetsAt: new Date(dayPeriodOf(now).to).toISOString() },
      perNight:
        night === null
          ? { limit: 70, used: 0, remaining: 70, resetsAt: null }
          : { limit: 70, used: 30.01, remaining: 39.99, resetsAt: new Date(night.to).toISOString() },
      perHourCount: { limit: 5, used: 1, remaining: 4, resetsAt: hour },
      perHourSum: { limit: 80, used: 30.01, remaining: 49.99, resetsAt: hour },
    };
    for (const wallet of [null, "loja"]) assert.deepEqual(await limitsOf(wallet), expected);
    await patch(accountId, { limits: { perDay: 30 } });
    assert.equal((await limitsOf(null)).perDay!.remaining, 0, "a limit below what was used leaves nothing");
  });

  test("and of a sub-account, which count its own withdrawals from before they were set, and no other wallet's", async () => {
    const { accountId, client } = await rich(1_000, ["loja"]);
    assert.equal((await client.post("/transfers", { subAccount: "loja", amount: 300 })).status, 201);
    const path = `/accounts/${accountId}/sub-accounts/loja`;
    const limit = async (limits: Record<string, number | null>) => {
      const set = await gateway.operator.patch<{ limits?: unknown }>(path, { limits });
      assert.equal(set.status, 200, set.text);
      return set.body.limits;
    };
    type Left = { walletLimits?: Record<"perWithdrawal" | "perDay" | "perNight", Record<string, unknown>> };
    const left = async (wallet: string | null) => (await client.get<Left>("/account", as(wallet))).body.walletLimits;
    const withdrawn = async (amount: number, wallet: string | null, outcome: "complete" | "fail") => {
      const { id } = await withdraw(client, { ...MANUAL, amount }, wallet);
      await settle(client, id, { outcome }, wallet);
    };
    await withdrawn(40, "loja", "complete");
    await withdrawn(15, "loja", "fail");
    await withdrawn(60, null, "complete");
    assert.equal((await left("loja"))!.perDay.used, 40, "counted before there was a limit");
    assert.equal((await left("loja"))!.perDay.limit, null);
    assert.equal(await left(null), undefined);
    assert.deepEqual(await limit({ perDay: 50, perWithdrawal: 45 }), { perWithdrawal: 45, perDay: 50, perNight: null });
    const read = await client.get<{ limits: unknown }>("/sub-accounts/loja");
    assert.deepEqual(read.body.limits, { perWithdrawal: 45, perDay: 50, perNight: null });
    const { perDay, perWithdrawal } = (await left("loja"))!;
    assert.deepEqual([perDay.limit, perDay.used, perDay.remaining, typeof perDay.resetsAt], [50, 40, 10, "string"]);
    assert.deepEqual(perWithdrawal, { limit: 45, used: 0, remaining: 45, resetsAt: null });

    const exceeded = (amount: number) =>
      nothingMoves(gateway, async () => {
        const refused = await ask(client, { amount }, { subAccount: "loja" });
        return assertRefused(refused, 400, "WITHDRAWAL_LIMIT_EXCEEDED").details;
      });
    const day = await exceeded(10.01);
    assert.deepEqual([day.limitName, day.limit, day.used, day.subAccount], ["perDay", 50, 40, "loja"]);
    assert.deepEqual((await exceeded(45.01)).limitName, "perWithdrawal");
    await withdrawn(60, null, "complete");
    const { id: last } = await waiting(client, { amount: 10 }, "loja");
    await exceeded(0.01);
    const cancelled = await settle(client, last, { outcome: "fail" }, "loja");
    assert.equal(cancelled.status, "failed");
    assert.equal((await left("loja"))!.perDay.used, 40, "one that failed counts no more");
    await withdrawn(10, "loja", "complete");
    assert.equal((await left("loja"))!.perDay.remaining, 0);
    // Of calls at once on what is left, exactly as many as fit are accepted.
    await limit({ perDay: 80 });
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => ask(client, { ...MANUAL, amount: 10 }, { subAccount: "loja" })),
    );
    const accepted = replies.filter(({ status }) => status === 201);
    assert.equal(accepted.length, 3);
    for (const { body } of accepted) await settle(client, body.id, { outcome: "complete" }, "loja");
    assert.equal(await limit({ perDay: null, perWithdrawal: null }), undefined);
    await withdrawn(50, "loja", "complete");
    // The account's limit counts all wallets, and comes first.
    await patch(accountId, { limits: { perDay: 1 } });
    assert.equal("subAccount" in (await exceeded(2)), false);
    const own = await client.patch("/sub-accounts/loja", { limits: { perDay: null } });
    assertInvalid(own, ["limits"]);
    assertInvalid(await gateway.operator.patch(path, { limits: { perDay: -1 } }), ["limits.perDay"]);
  });

  test("hold under a race: of 40 calls at once on a limit for 7, exactly 7 are taken", async () => {
    const { accountId, client } = await rich();
    await patch(accountId, { limits: { perDay: 70 } });
    const replies = await Promise.all(Array.from({ length: 40 }, () => ask(client, { ...MANUAL, amount: 10 })));
    const taken = replies.filter(({ status }) => status === 201);
    assert.equal(taken.length, 7);
    for (const reply of replies) {
      if (reply.status !== 201) assertRefused(reply, 400, "WITHDRAWAL_LIMIT_EXCEEDED");
    }
    for (const { body } of taken) await settle(client, body.id, { outcome: "complete" });
  });
});

describe("An Idempotency-Key of a withdrawal", () => {
  const KEY = "saque-idempotente";

  test("replays the stored answer byte for byte, whatever has become of the withdrawal", {
    rules: ["call.key"],
  }, async () => {
    const { client } = await rich(100);
    const body = { ...MANUAL, amount: 10, externalReference: "r" };
    const first = await ask(client, body, { key: KEY });
    assert.equal(first.headers.get("idempotent-replayed"), null);
    await settle(client, first.body.id, { outcome: "complete" });
    const reordered = Object.fromEntries(Object.entries({ ...MARIA, ...body }).reverse());
    const again = await client.post("/withdrawals", reordered, as(null, { "idempotency-key": KEY }));
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal((await balancesOf(client)).total, 9_000);
    const other = await nothingMoves(gateway, () => ask(client, { ...body, amount: 11 }, { key: KEY }));
    assertRefused(other, 422, "IDEMPOTENCY_KEY_REUSED");
  });

  test("makes one withdrawal of 30 calls at once, and all get its answer", async () => {
    const { client } = await rich(1_000);
    const replies = await Promise.all(Array.from({ length: 30 }, () => ask(client, MANUAL, { key: KEY })));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter(({ headers }) => headers.get("idempotent-replayed") === null).length, 1);
    assert.deepEqual(await balancesOf(client), { available: 99_000, promotional: 0, held: 1_000, total: 100_000 });
    await settle(client, replies[0]!.body.id, { outcome: "fail" });
  });

  test("is freed by a refusal, which came before anything was held", async () => {
    const { accountId, client } = await rich(5);
    assertRefused(await ask(client, MANUAL, { key: KEY }), 400, "INSUFFICIENT_BALANCE");
    assertInvalid(await ask(client, { amount: -1 }, { key: KEY }), ["amount"]);
    await give(gateway, accountId, 5);
    const made = await ask(client, MANUAL, { key: KEY });
    assert.equal(made.status, 201, made.text);
    // Later refusals do not matter to what was answered.
    await patch(accountId, { limits: { perWithdrawal: 1 } });
    assert.equal((await ask(client, MANUAL, { key: KEY })).text, made.text);
    await settle(client, made.body.id, { outcome: "fail" });
    assert.equal((await ask(client, MANUAL, { key: KEY })).text, made.text);
  });

  test("is each wallet's own, and is kept while its withdrawal is open", async () => {
    const { client } = await rich(100, ["loja"]);
    await client.post("/transfers", { subAccount: "loja", amount: 30 });
    const main = await ask(client, MANUAL, { key: KEY });
    const shop = await ask(client, MANUAL, { key: KEY, subAccount: "loja" });
    assert.notEqual(main.body.id, shop.body.id);
    const { db } = gateway.running.ctx;
    const expire = sql`update idempotency_keys set expires_at = created_at where object_id in (${main.body.id}, ${shop.body.id})`;
    await settle(client, shop.body.id, { outcome: "fail" }, "loja");
    await db.query(expire);
    const { purgeKeys } = await import("../../src/retention/purge.ts");
    await purgeKeys(gateway.running.ctx);
    assert.equal((await ask(client, MANUAL, { key: KEY })).text, main.text);
    assert.notEqual((await ask(client, MANUAL, { key: KEY, subAccount: "loja" })).body.id, shop.body.id);
    for (const id of [main.body.id]) await settle(client, id, { outcome: "fail" });
  });
});

describe("What was asked for", () => {
  test("is found by id, external reference and key while it is under way", {
    rules: ["withdrawal.look-up"],
  }, async () => {
    const { client } = await rich(100);
    const made = (await ask(client, { ...MANUAL, externalReference: "pedido/7 ç" }, { key: "chave-do-saque" })).body;
    for (const reference of [made.id, "pedido/7 ç", "chave-do-saque"]) {
      const found = await client.get<Record<string, unknown>>(`/transactions/${encodeURIComponent(reference)}`);
      assert.equal(found.status, 200, found.text);
      const { id, type, direction, status, amount, externalReference, createdAt } = found.body;
      assert.deepEqual(
        { id, type, direction, status, amount, externalReference, createdAt },
        {
          id: made.id, type: "withdrawal", direction: "out", status: "pending", amount: 10, externalReference: "pedido/7 ç",
          createdAt: made.createdAt,
        },
      ); // biome-ignore format: a table
      assert.ok(["pending", "processing"].includes(String(found.body.withdrawalStatus)));
    }
    await settle(client, made.id, { outcome: "complete" });
    const { body } = await client.get<Record<string, unknown>>(`/transactions/${made.id}`);
    assert.deepEqual([body.status, body.withdrawalStatus], ["completed", "completed"]);
  });

  test("is, by a reference that a charge has too, the newest of both", async () => {
    const { client } = await rich(100);
    const newest = async () => (await client.get<{ id: string }>("/transactions/same")).body.id;
    const make = () =>
      client
        .post<{ id: string }>("/pix", { amount: 1, description: "d", externalReference: "same" })
        .then(({ body }) => body.id);
    await make();
    const made = await withdraw(client, { ...MANUAL, externalReference: "same" });
    assert.equal(await newest(), made.id);
    const charge = await make();
    assert.equal(await newest(), charge);
    await settle(client, made.id, { outcome: "fail" });
  });

  test("is listed newest first, page by page, by status and by reference", async () => {
    const { client } = await rich(1_000, ["loja"]);
    const made: Withdrawal[] = [];
    for (let i = 0; i < 5; i += 1) made.push(await withdraw(client, { ...MANUAL, externalReference: `r${i % 2}` }));
    await settle(client, made[0]!.id, { outcome: "complete" });
    await settle(client, made[1]!.id, { outcome: "fail" });
    await settle(client, made[2]!.id, { outcome: "reverse" });
    type Listed = { items: Withdrawal[]; nextCursor: string | null };
    const list = async (query: string, wallet: string | null = null) => {
      const reply = await client.get<Listed>(`/withdrawals${query}`, as(wallet));
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const ids = ({ items }: Listed) => items.map((item) => made.findIndex(({ id }) => id === item.id));
    const all = await list("");
    assert.deepEqual([ids(all), all.nextCursor], [[4, 3, 2, 1, 0], null]);
    // Those under way go on between two reads.
    await eventually("the list to show what reading each one shows", async () => {
      const { items } = await list("");
      return isDeepStrictEqual(items, await Promise.all(items.map(({ id }) => show(client, id))));
    });
    const page = await list("?limit=2");
    const next = await list(`?limit=2&cursor=${page.nextCursor}`);
    const end = await list(`?limit=2&cursor=${next.nextCursor}`);
    assert.deepEqual([ids(page), ids(next), ids(end), end.nextCursor], [[4, 3], [2, 1], [0], null]);
    assert.deepEqual(ids(await list("?status=completed")), [0]);
    assert.deepEqual(ids(await list("?status=failed")), [1]);
    assert.deepEqual(ids(await list("?status=reversed")), [2]);
    assert.deepEqual(ids(await list("?externalReference=r1")), [3, 1]);
    const since = made.flatMap(({ createdAt }, i) => (createdAt >= made[3]!.createdAt ? [i] : [])).reverse();
    assert.deepEqual(ids(await list(`?from=${made[3]!.createdAt}`)), since);
    assert.deepEqual((await list("", "loja")).items, []);
    for (const query of ["?status=open", "?limit=0", "?limit=101", "?cursor=x"]) {
      assertInvalid(await client.get(`/withdrawals${query}`), [query.slice(1).split("=")[0]!]);
    }
    // The same in the list of transactions.
    type Item = { id: string; withdrawalStatus?: string };
    const transactions = async (query: string) =>
      (await client.get<{ items: Item[] }>(`/transactions?type=withdrawal${query}`)).body.items.map(({ id }) =>
        made.findIndex((one) => one.id === id),
      );
    assert.deepEqual(await transactions(""), [4, 3, 2, 1, 0]);
    assert.deepEqual(await transactions("&status=pending"), [4, 3]);
    assert.deepEqual(await transactions("&status=completed"), [2, 0]);
    assert.deepEqual(await transactions("&status=failed"), [1]);
    assert.deepEqual(await transactions(`&e2eId=${(await show(client, made[0]!.id)).pspReference}`), [0]);
    for (const i of [3, 4]) await settle(client, made[i]!.id, { outcome: "fail" });
  });

  test("is nobody else's: another account's id is a 404", async () => {
    const { client } = await rich(100);
    const made = await withdraw(client, { amount: 1 });
    await becomes(client, made.id, "completed");
    const stranger = await credentialOf(gateway, await newAccount(gateway));
    for (const path of [`/withdrawals/${made.id}`, `/transactions/${made.id}`]) {
      assertRefused(await stranger.get(path), 404, "RESOURCE_NOT_FOUND");
    }
    await quiet();
  });
});
