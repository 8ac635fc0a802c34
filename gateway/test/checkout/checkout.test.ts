/** The page of a charge for its payer, as a browser without a script asks for it, and what its script reads. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findPayerCharge } from "../../src/checkout/find.ts";
import { PAYER_PAGES } from "../../src/checkout/page.ts";
import { findPayerLink } from "../../src/checkout/payment-links/find.ts";
import { createPayerStreams } from "../../src/checkout/streams.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { chargeWithPage } from "./open-page.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const stateOf = async (page: string) => (JSON.parse((await get(`${page}/state`)).text) as { state: string }).state;
const act = async (id: string, what: string, body: unknown = {}) => {
  const done = await gateway.merchant.post(
    what === "cancel" ? `/pix/${id}/cancel` : `/sandbox/pix/${id}/${what}`,
    body,
  );
  assert.equal(done.status, 200, done.text);
};

describe("the address of a page", () => {
  type Shown = { checkoutUrl?: string };

  test("is the same in the charge and in its transaction, whatever becomes of it, and in no list", async () => {
    const known = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example" });
    try {
      const key = { headers: { "idempotency-key": "order-1042-a" } };
      const body = { amount: 1, description: "d" };
      const made = await known.merchant.post<Shown & { id: string }>("/pix", body, key);
      const { id, checkoutUrl } = made.body;
      assert.match(checkoutUrl!, /^https:\/\/pay\.example\/pay\/[0-9a-z]{26,35}-[\w-]{22}$/);
      assert.equal((await known.merchant.post<Shown>("/pix", body, key)).body.checkoutUrl, checkoutUrl);
      const read = async () => (await known.merchant.get<Shown>(`/transactions/${id}`)).body.checkoutUrl;
      assert.equal(await read(), checkoutUrl);
      await known.merchant.post(`/pix/${id}/cancel`, {});
      assert.equal(await read(), checkoutUrl);
      const list = await known.merchant.get<{ items: object[] }>("/transactions");
      assert.ok(list.body.items.length > 0 && list.body.items.every((item) => !("checkoutUrl" in item)));
      assert.equal((await get(known.running.url + new URL(checkoutUrl!).pathname)).status, 200);
    } finally {
      await known.end();
    }
  });

  test("is left out where no address of the installation is known", async () => {
    const { id } = await chargeWithPage(gateway);
    assert.ok(!("checkoutUrl" in (await gateway.merchant.get(`/transactions/${id}`)).body));
  });

  test("is left out, and nothing answers there, where pages are switched off", async () => {
    const without = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example", PIXGATE_CHECKOUT: "off" });
    try {
      const { id, page } = await chargeWithPage(without);
      assert.ok(!("checkoutUrl" in (await without.merchant.get(`/transactions/${id}`)).body));
      for (const path of [page, `${without.running.url}/pay/openapi.json`]) assert.equal((await get(path)).status, 404);
    } finally {
      await without.end();
    }
  });
});

describe("a page", () => {
  test("has the code, its picture, the amount and the receiver in less than 16 kB, and loads nothing", async () => {
    const { page, pixCopyPaste } = await chargeWithPage(gateway);
    const { status, headers, text } = await get(page);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.ok(Buffer.byteLength(text) < 16_000, `${Buffer.byteLength(text)} bytes`);
    for (const part of [pixCopyPaste, "data:image/png;base64,", "259,90", "Cesta orgânica", 'data-state="waiting"'])
      assert.ok(text.includes(part), part);
    assert.match(text, /<meta name="description" content="[^"]{10,}">/);
    assert.doesNotMatch(text, /src="(?!data:|")|href="(?!data:|"|http:\/\/127\.0\.0\.1:\d+\/bank\?)/);
  });

  test("leads to the simulated bank, which shows what its code asks for, until it is paid", async () => {
    const { id, page, pixCopyPaste } = await chargeWithPage(gateway);
    const [, href] = /href="([^"]+\/bank\?code=[^"]+)"/.exec((await get(page)).text)!;
    assert.equal(href, `${gateway.sandbox.simulatorUrl}/bank?code=${encodeURIComponent(pixCopyPaste)}`);
    const shown = await get(href!);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /259[.,]90/);
    await act(id, "pay");
    assert.ok(!(await get(page)).text.includes("/bank?"));
  });

  test("leads nobody to it whom a tunnel or a proxy passed on", async () => {
    const { page } = await chargeWithPage(gateway);
    for (const headers of [{ "x-forwarded-for": "203.0.113.9" }, { forwarded: "for=203.0.113.9" }]) {
      const { status, text } = await get(page, headers);
      assert.equal(status, 200);
      assert.ok(!text.includes("/bank?"), JSON.stringify(headers));
    }
  });

  test("is stored nowhere, framed nowhere, not indexed, and gives its address to nobody", async () => {
    const { page } = await chargeWithPage(gateway);
    for (const url of [page, `${page}/state`, `${page.slice(0, -1)}_`]) {
      const { headers } = await get(url);
      assert.equal(headers.get("cache-control"), "no-store", url);
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("x-frame-options"), "DENY");
      assert.match(headers.get("x-robots-tag")!, /noindex/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("set-cookie"), null);
      // A page of another site may read the page, and its stream, without cookies; nothing else.
      assert.equal(headers.get("access-control-allow-origin"), url.endsWith("/state") ? null : "*");
      assert.equal(headers.get("access-control-allow-credentials"), null);
      if (url.endsWith("/state")) continue;
      const policy = headers.get("content-security-policy")!;
      assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /);
      assert.match(policy, /frame-ancestors 'none'/);
    }
  });

  test("shows what merchants write as text, whatever it is", async () => {
    const evil = `</title><script>alert(1)</script>"'><img src=x onerror=alert(2)>`;
    const rename = (name: string) =>
      gateway.owner.query(sql`
        update accounts set name = ${name}, legal_name = ${name} where account_id = ${gateway.sandbox.accountId}`);
    const { rows } = await gateway.owner.query<{ name: string; legal_name: string | null }>(
      sql`select name, legal_name from accounts where account_id = ${gateway.sandbox.accountId}`,
    );
    try {
      await rename(evil);
      const { id, page } = await chargeWithPage(gateway, { description: evil });
      for (const state of ["waiting", "paid"]) {
        if (state === "paid") await act(id, "pay");
        const { text } = await get(page);
        assert.equal(await stateOf(page), state);
        assert.equal(text.match(/<script/g)?.length, 1, state);
        assert.equal(text.match(/<img/g)?.length ?? 0, state === "waiting" ? 1 : 0);
        assert.ok(!/<[^>]*\sonerror/.test(text));
      }
    } finally {
      await gateway.owner.query(sql`
        update accounts set name = ${rows[0]!.name}, legal_name = ${rows[0]!.legal_name}
        where account_id = ${gateway.sandbox.accountId}`);
    }
  });

  test("has nothing of the payer, before and after the payment", async () => {
    const payer = { name: "Zuleica Xisto Payer", document: "52998224725" };
    const customer = { ...payer, email: "zuleica@example.com", phone: "11987654321" };
    const { id, page } = await chargeWithPage(gateway, { customer, metadata: { secret: "quimera" } });
    const pages = [(await get(page)).text];
    await act(id, "pay", { payer });
    pages.push((await get(page)).text, (await get(`${page}/state`)).text);
    const { body } = await gateway.merchant.get<{ e2eId: string }>(`/transactions/${id}`);
    // The end-to-end id names the payer's bank.
    for (const personal of [...Object.values(customer), "Zuleica", "quimera", body.e2eId])
      for (const text of pages) assert.ok(!text.includes(personal), personal);
  });

  test("speaks Portuguese, English or Spanish, as the visitor's browser asks", async () => {
    const { page } = await chargeWithPage(gateway);
    const languages = [
      [undefined, "pt-BR", "Copiar código Pix"],
      ["en-GB,en;q=0.9", "en", "Copy the Pix code"],
      ["de, es-AR;q=0.7, en;q=0.3", "es", "Copiar el código Pix"],
      ["en;q=0, fr", "pt-BR", "Copiar código Pix"],
      ["es;q=x,,;;q=", "pt-BR", "Copiar código Pix"],
      // A stranger's words that are properties of every object, and a header that is long.
      ["constructor, en;q=0.5", "en", "Copy the Pix code"],
      ["__proto__", "pt-BR", "Copiar código Pix"],
      ["toString;q=1, valueOf-BR", "pt-BR", "Copiar código Pix"],
      [`es,${" ".repeat(15_000)}en;q=2`, "es", "Copiar el código Pix"],
    ] as const;
    for (const [header, language, words] of languages) {
      const { text, headers } = await get(page, header === undefined ? {} : { "accept-language": header });
      assert.ok(text.includes(`<html lang="${language}">`) && text.includes(words), header);
      assert.equal(headers.get("vary"), "accept-language");
    }
  });

  test("names the receiver of the code where the bank's app will show it, and the account as the seller", async () => {
    const { id, page } = await chargeWithPage(gateway);
    const { rows } = await gateway.owner.query<{ name: string; legal_name: string | null }>(
      sql`select name, legal_name from accounts where account_id = ${gateway.sandbox.accountId}`,
    );
    const rename = (name: string, legal: string | null) =>
      gateway.owner.query(sql`
        update accounts set name = ${name}, legal_name = ${legal} where account_id = ${gateway.sandbox.accountId}`);
    const before = (await get(page)).text;
    const inCode = /Confira o nome <b><bdi>([^<]+)/.exec(before)![1]!;
    try {
      await rename("Ateliê Quimera", "Quimera Artes Ltda");
      const { text } = await get(page);
      const inApp = /<b><bdi>([^<]+)/.exec(/Confira o nome .*?<\/li>/s.exec(text)![0])![1]!;
      assert.equal(inApp.toLowerCase(), inCode.toLowerCase());
      const warning = /<p class="warning">.*?<\/p>/s.exec(text)![0];
      assert.ok(warning.includes(`o nome <b><bdi>${inApp}</bdi></b> e o valor`), warning);
      assert.match(text, /<footer>\s*<p>Quem vende: <b><bdi>Quimera Artes Ltda</);
      await act(id, "pay");
      const paid = (await get(page)).text;
      assert.ok(paid.includes(`<dt>Quem recebeu</dt><dd><bdi>${inApp}</bdi>`));
      assert.match(paid, /Quem vende: <b><bdi>Quimera Artes Ltda</);
    } finally {
      await rename(rows[0]!.name, rows[0]!.legal_name);
    }
  });

  test("says what a Pix of another amount was, and that one after a cancellation came after it", async () => {
    const partly = await chargeWithPage(gateway);
    await act(partly.id, "pay", { amount: 1 });
    const { text } = await get(partly.page);
    assert.equal(await stateOf(partly.page), "returned");
    assert.ok(text.includes(`R$\u00a01,00 pagos de R$\u00a0259,90`), text);
    const cancelled = await chargeWithPage(gateway);
    await act(cancelled.id, "cancel");
    await act(cancelled.id, "pay");
    assert.equal(await stateOf(cancelled.page), "paid_late");
    assert.ok((await get(cancelled.page)).text.includes("depois que a cobrança expirou ou foi cancelada"));
  });

  test("shows each end of a charge, and no code that nobody should pay any more", async () => {
    const latePayments = async (policy: string) => {
      const policies = { latePayments: policy };
      assert.equal((await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies })).status, 200);
    };
    const paid = await chargeWithPage(gateway);
    await act(paid.id, "pay");
    const expired = await chargeWithPage(gateway);
    await act(expired.id, "expire");
    const cancelled = await chargeWithPage(gateway);
    await act(cancelled.id, "cancel");
    const late = await chargeWithPage(gateway);
    await act(late.id, "expire");
    await act(late.id, "pay");
    await latePayments("return");
    const returned = await chargeWithPage(gateway);
    await act(returned.id, "expire");
    await act(returned.id, "pay");
    await latePayments("credit");
    const ends = [
      [paid, "paid", "<h1>Pago</h1>"],
      [expired, "expired", "<h1>Cobrança expirada</h1>"],
      [cancelled, "cancelled", "<h1>Cobrança cancelada</h1>"],
      [late, "paid_late", "<h1>Pago com atraso</h1>"],
      [returned, "returned", "<h1>Pix não aceito</h1>"],
    ] as const;
    for (const [{ page, pixCopyPaste }, state, words] of ends) {
      const { text, status } = await get(page);
      assert.equal(status, 200);
      assert.ok(text.includes(words) && text.includes(`data-state="${state}"`), state);
      assert.ok(!text.includes(pixCopyPaste), state);
      assert.equal(await stateOf(page), state);
    }
    assert.match((await get(expired.page)).text, /Expirou em \d+ de /);
  });

  test("counts as expired from its end, before the bank has said so", async () => {
    const { id, page } = await chargeWithPage(gateway);
    await gateway.owner.query(
      sql`update charges set expires_at = ${new Date(Date.now() - 1_000)} where charge_id = ${id}`,
    );
    assert.equal(await stateOf(page), "expired");
  });
});

describe("a token that is not one", () => {
  test("gets the same 404 whatever is wrong with it, in each language", async () => {
    const { page } = await chargeWithPage(gateway);
    const { owner } = gateway;
    const rejected = await chargeWithPage(gateway);
    await owner.query(sql`update charges set status = 'rejected' where charge_id = ${rejected.id}`);
    const restore = () => owner.query(sql`update charges set status = 'pending' where charge_id = ${rejected.id}`);
    const base = `${gateway.running.url}/pay/`;
    const wrong = [
      rejected.page,
      `${page.slice(0, -1)}${page.endsWith("A") ? "B" : "A"}`,
      `${base}x`,
      `${base}${"0".repeat(4_000)}`,
      `${base}%00`,
      `${base}1-`,
      page.replace(/-.*/, ""),
    ];
    for (const language of ["pt", "en", "es"]) {
      const answers = await Promise.all(wrong.map((url) => get(url, { "accept-language": language })));
      for (const { status, text, headers } of answers) {
        assert.equal(status, 404);
        assert.equal(text, answers[0]!.text);
        const seen = [...headers.keys()].filter((name) => name !== "date" && name !== "x-request-id");
        assert.deepEqual(
          seen,
          [...answers[0]!.headers.keys()].filter((name) => name !== "date" && name !== "x-request-id"),
        );
      }
    }
    for (const url of wrong.slice(0, 4)) {
      const { status, text } = await get(`${url}/state`);
      assert.equal(status, 404);
      assert.deepEqual((JSON.parse(text) as { details: object }).details, { code: "RESOURCE_NOT_FOUND" });
      assert.equal((await get(`${url}/events?shown=waiting`)).status, 404);
    }
    await restore();
  });

  test("costs the same whatever is wrong with it: two codes are computed, and the database is never asked", async () => {
    const { page } = await chargeWithPage(gateway);
    const token = page.split("/").at(-1)!;
    const { ctx } = gateway.running;
    let queries = 0;
    const query = <R>(statement: Sql) => {
      queries += 1;
      return ctx.db.query<R>(statement);
    };
    const parts = { ...ctx, db: { ...ctx.db, query } };
    const changed = (at: number) => token.slice(0, at) + (token[at] === "a" ? "b" : "a") + token.slice(at + 1);
    const wrong = [
      changed(0),
      changed(5),
      changed(token.length - 1),
      `${token}a`,
      token.slice(0, -1),
      "x",
      "",
      "1-",
      "0".repeat(4_000),
    ];
    for (const one of wrong)
      assert.deepEqual([await findPayerLink(parts, one), await findPayerCharge(parts, one)], [null, null]);
    assert.equal(queries, 0);
    // Of a charge's token the database is asked once, as that of a charge.
    assert.deepEqual([await findPayerLink(parts, token), queries], [null, 0]);
    assert.ok(await findPayerCharge(parts, token));
    assert.equal(queries, 1);
  });
});

describe("a path below /pay where nothing is", () => {
  test("answers a person with the page of 404 and a link that reloads, and its address goes nowhere", async () => {
    const { page } = await chargeWithPage(gateway);
    for (const url of [`${gateway.running.url}/pay/`, `${gateway.running.url}/pay`, `${page}/x`, `${page}/x/y`]) {
      const { status, headers, text } = await get(url);
      assert.equal(status, 404, url);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8", url);
      assert.ok(text.includes("Página não encontrada") && text.includes('<a class="button" href="">'), url);
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.match(headers.get("content-security-policy")!, /^default-src 'none'/);
    }
    for (const status of [429, 500, 503])
      assert.ok(PAYER_PAGES.ofError(status, "en").includes('<a class="button" href="">Reload this page</a>'));
    const undecodable = await get(`${gateway.running.url}/pay/%zz`);
    assert.equal(undecodable.status, 400);
    assert.equal(undecodable.headers.get("cache-control"), "no-store");
    assert.equal(undecodable.headers.get("referrer-policy"), "no-referrer");
    // Forms are posted to links; of a charge's page there is none.
    const posted = await fetch(page, { method: "POST" });
    assert.equal(posted.status, 404);
    assert.equal(posted.headers.get("cache-control"), "no-store");
    await posted.body?.cancel();
  });
});

describe("an open page", () => {
  async function listen(page: string, shown: string) {
    const controller = new AbortController();
    const response = await fetch(`${page}/events?shown=${shown}`, { signal: controller.signal });
    const stream = { status: response.status, text: "", ended: false, close: () => controller.abort() };
    void (async () => {
      try {
        for await (const chunk of response.body!) stream.text += Buffer.from(chunk as Uint8Array).toString();
      } catch {
        // Closed by the test.
      }
      stream.ended = true;
    })();
    return stream;
  }

  test("reports that the charge is paid, expired or cancelled, and its stream ends", async () => {
    for (const what of ["pay", "expire", "cancel"]) {
      const { id, page } = await chargeWithPage(gateway);
      const stream = await listen(page, "waiting");
      assert.equal(stream.status, 200);
      await act(id, what);
      await eventually(`the change after ${what}`, () => stream.ended);
      assert.match(stream.text, /^retry: \d+\n\n(event: beat\ndata: \{\}\n\n)+event: change\ndata: \{\}\n\n$/);
    }
  });

  test("reports at once what happened before it opened its stream, and a paid page is not watched", async () => {
    const { id, page } = await chargeWithPage(gateway);
    await act(id, "pay");
    const late = await listen(page, "waiting");
    await eventually("the change", () => late.ended);
    assert.match(late.text, /event: change/);
    const last = await listen(page, "paid");
    await eventually("the end", () => last.ended);
    assert.doesNotMatch(last.text, /event/);
  });

  test("of an expired charge reports that it was paid all the same", async () => {
    const { id, page } = await chargeWithPage(gateway);
    await act(id, "expire");
    const stream = await listen(page, "expired");
    await act(id, "pay");
    await eventually("the change", () => stream.ended);
    assert.equal(await stateOf(page), "paid_late");
  });

  test("gets its beats and its end while the database does not answer", async () => {
    const { accountId } = gateway.sandbox;
    let now = Date.now();
    const query = () => Promise.reject(Object.assign(new Error("it is down"), { code: "ECONNREFUSED" }));
    const { ctx } = gateway.running;
    const streams = createPayerStreams({
      db: { ...ctx.db, query },
      clock: { ...ctx.clock, now: () => now },
      log: ctx.log,
    });
    try {
      const page = { network: "203.0.113.7", shown: "waiting" } as const;
      const stream = streams.open({ accountId, chargeId: ctx.ids.uuid() }, page);
      let text = "";
      let ended = false;
      stream.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => (ended = true));
      await eventually("a beat at once", () => text.includes("event: beat"));
      text = "";
      now += 16_000;
      await eventually("a beat after that", () => text.includes("event: beat"));
      assert.equal(ended, false);
      now += LIMITS.payerStream;
      await eventually("the end", () => ended);
      assert.doesNotMatch(text, /change/);
    } finally {
      streams.stop();
    }
  });

  test("keeps nothing after it is closed, and HEAD opens none", async () => {
    const { page } = await chargeWithPage(gateway);
    const head = await fetch(`${page}/events?shown=waiting`, { method: "HEAD" });
    assert.equal(head.status, 200);
    const refused = await fetch(`${page}/events?shown=everything`);
    assert.equal(refused.status, 400);
    await refused.body?.cancel();
  });
});
