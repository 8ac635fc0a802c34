import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { dayOf } from "../../src/lib/days.ts";
import type { Client, Reply } from "../harness/client.ts";
import { type PublishedDocument, type Route, readDocument, routesOf } from "../harness/document.ts";
import { addEvidence } from "../harness/evidence.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { credentialOf, newAccount } from "./merchant.ts";
import { makeObject, pathWith } from "./objects.ts";

/** A wallet: who may use it, and the header that names it. */
type Wallet = { name: string; client: Client; headers: Record<string, string> };

describe("tenants", () => {
  let gateway: TestGateway;
  let document: PublishedDocument;
  let routes: Route[];
  /** Of two accounts: the main wallet and a sub-account's, which has the same reference in both. */
  let wallets: Wallet[];

  before(async () => {
    gateway = await startGateway();
    document = await readDocument(`${gateway.running.url}/openapi.json`);
    routes = routesOf(document).filter(({ path }) => path !== "/v2/auth");
    const accounts = await Promise.all([newAccount(gateway), newAccount(gateway)]);
    const clients = await Promise.all(accounts.map((accountId) => credentialOf(gateway, accountId)));
    for (const client of clients) {
      const made = await client.post("/sub-accounts", { reference: "store" });
      assert.equal(made.status, 201, made.text);
    }
    wallets = clients.flatMap((client, i) => [
      { name: `account ${i}`, client, headers: {} },
      { name: `account ${i}'s sub-account`, client, headers: { "x-sub-account": "store" } },
    ]);
  });
  after(() => gateway.end());

  const takesWallet = ({ operation }: Route) =>
    (operation.parameters ?? []).some(({ name }) => name === "X-Sub-Account");
  const takesFile = ({ path, method }: Route) => method === "POST" && path.endsWith("/files");
  const exampleOf = ({ path, operation }: Route): string | undefined => {
    // One that does not end by itself while the balance is checked for the next route.
    if (path.endsWith("/refund")) return JSON.stringify({ reason: "manual" });
    const examples = operation.requestBody?.content["application/json"]?.examples;
    return examples === undefined ? undefined : JSON.stringify(Object.values(examples)[0]!.value);
  };
  const call = (route: Route, wallet: Wallet, id: string): Promise<Reply> =>
    takesFile(route)
      ? addEvidence(wallet.client, id, { headers: wallet.headers })
      : wallet.client.send(route.method, pathWith(route.path, id), exampleOf(route), { headers: wallet.headers });
  /** An answer without what differs between any two. */
  const plain = ({ status, headers, text }: Reply, id: string) =>
    `${status} ${[...headers.keys()].join()} ${text.replaceAll(id.split("/")[0]!, "ID")}`
      .replace(/"(timestamp|traceId)":"[^"]*"/g, "")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "");
  /** An object and its wallet's balance, as their owner reads them. */
  const inspect = async (path: string, owner: Wallet, id: string): Promise<string> => {
    const reads = routes.filter(
      ({ method, path: p }) => method === "GET" && /^[^{]*\{\w+\}$/.test(p) && sameNoun(p, path),
    );
    const replies = await Promise.all([
      ...reads.map((read) => call(read, owner, id)),
      owner.client.get<{ balance: { updatedAt?: string } }>("/account", { headers: owner.headers }),
    ]);
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    // A withdrawal's institution is queried meanwhile, again and again.
    return JSON.stringify(replies.map(({ body }) => body)).replace(/"(updatedAt|nextQueryAt)":"[^"]*"/g, "");
  };
  /** A charge is read as a transaction; the sandbox settles a refund by the id of its payment. */
  const nounOf = (path: string) =>
    /^\/v2\/(sandbox\/refunds|(?:sandbox\/)?[a-z-]+)/
      .exec(path)![1]!
      .replace(/^(sandbox\/refunds|(sandbox\/)?pix)$/, "transactions")
      .replace("sandbox/", "");
  const sameNoun = (a: string, b: string) => nounOf(a) === nounOf(b);

  test("no route with an id reaches another wallet's object, of another account or of the same", async () => {
    const withId = routes.filter(({ path }) => path.includes("{"));
    assert.ok(withId.length >= 3);
    for (const route of withId) {
      for (const owner of wallets.slice(0, 2)) {
        const id = await makeObject(route.path, owner.client, owner.headers);
        const before = await inspect(route.path, owner, id);
        // What the account has, such as its sub-accounts, each of its wallets may read.
        const ofAccount = !takesWallet(route);
        const others = wallets.filter((w) => w !== owner && !(ofAccount && w.client === owner.client));
        for (const other of others) {
          const what = `${route.method} ${route.path} by ${other.name} on an object of ${owner.name}`;
          const reply = await call(route, other, id);
          assert.equal(reply.status, 404, `${what}: ${reply.text}`);
          const code = ofAccount ? "SUB_ACCOUNT_NOT_FOUND" : "RESOURCE_NOT_FOUND";
          assert.equal((reply.body.details as { code: string }).code, code, what);
          // Word for word what an id is answered that nobody has: the answer does not say that somebody has this one.
          const nobodys = ofAccount ? `nobodys-${id.slice(8)}` : id.replace(/[0-9a-f-]{36}/, randomUUID());
          assert.equal(plain(reply, id), plain(await call(route, other, nobodys), nobodys), what);
        }
        assert.equal(await inspect(route.path, owner, id), before, `${route.path}: something has changed`);
        const own = await call(route, owner, id);
        assert.notEqual(own.status, 404, `${route.method} ${route.path} by its owner: ${own.text}`);
      }
    }
  });

  test("no list shows another wallet's objects", async () => {
    const kinds = [...new Set(routes.filter(({ path }) => path.includes("{")).map(({ path }) => path))];
    const owned = new Map<Wallet, string[]>();
    // A sub-account without an endpoint has its events sent to the main account's, which then shows their deliveries.
    for (const { client, headers } of wallets) await makeObject("/v2/webhook-endpoints/{id}", client, headers);
    for (const wallet of wallets) {
      const ids: string[] = [];
      for (const path of kinds) ids.push(await makeObject(path, wallet.client, wallet.headers));
      const project = await wallet.client.post<{ id: string }>("/projects", { name: "Same", color: "#abcdef" }, wallet);
      assert.equal(project.status, 201, project.text);
      owned.set(wallet, [...ids, project.body.id]);
    }
    const lists = routes.filter(({ method, path }) => method === "GET" && !path.includes("{"));
    let found = 0;
    for (const list of lists) {
      for (const wallet of wallets) {
        const takes = (parameter: string) => list.operation.parameters?.some(({ name }) => name === parameter);
        // A search finds every wallet's charges of today by their amount.
        const searched = `?q=${encodeURIComponent(`100,00 ${dayOf(new Date())}`)}`;
        const pages = takes("limit") ? "?limit=100" : takes("q") ? searched : "";
        const reply = await wallet.client.get(`${list.path.replace("/v2", "")}${pages}`, wallet);
        assert.equal(reply.status, 200, `${list.path}: ${reply.text}`);
        for (const [owner, ids] of owned) {
          for (const id of ids) {
            if (owner === wallet || !takesWallet(list)) found += Number(reply.text.includes(id));
            else assert.ok(!reply.text.includes(id), `GET ${list.path} of ${wallet.name} shows ${owner.name}'s ${id}`);
          }
        }
      }
    }
    assert.ok(found >= wallets.length, "the lists show their own objects");
    // Sub-accounts are the account's: each sees its own one and not the other's of the same name.
    const [first, second] = await Promise.all(
      [wallets[0]!, wallets[2]!].map(({ client }) =>
        client.get<{ data: { id: string; reference: string }[] }>("/sub-accounts"),
      ),
    );
    const [one, two] = [first!.body.data, second!.body.data];
    const references = new Set(two.map(({ reference }) => reference));
    // The third wallet is the recipient of the transfers; those that `makeObject` opens have a name of their own.
    const shared = one.map(({ reference }) => reference).filter((reference) => references.has(reference));
    assert.deepEqual(shared.sort(), ["store", "third"]);
    const ids = new Set(two.map(({ id }) => id));
    assert.ok(one.every(({ id }) => !ids.has(id)));
  });

  test("a look-up by external reference or Idempotency-Key stays in its wallet", async () => {
    for (const [i, wallet] of wallets.entries()) {
      const headers = { ...wallet.headers, "idempotency-key": `secret-key-${i}` };
      const body = { amount: 1, description: "mine", externalReference: `secret-reference-${i}` };
      assert.equal((await wallet.client.post("/pix", body, { headers })).status, 201);
    }
    for (const [i, owner] of wallets.entries()) {
      for (const reference of [`secret-reference-${i}`, `secret-key-${i}`]) {
        for (const wallet of wallets) {
          const reply = await wallet.client.get(`/transactions/${reference}`, wallet);
          assert.equal(reply.status, wallet === owner ? 200 : 404, `${reference} by ${wallet.name}`);
        }
      }
    }
  });

  test("one Idempotency-Key in four wallets is four calls, each with its own answer", async () => {
    const send = (wallet: Wallet) =>
      wallet.client.post<{ id: string }>(
        "/pix",
        { amount: 2, description: "same key" },
        { headers: { ...wallet.headers, "idempotency-key": "everybody's-key" } },
      );
    const first = await Promise.all(wallets.map(send));
    assert.deepEqual([...new Set(first.map(({ status }) => status))], [201]);
    assert.equal(new Set(first.map(({ body }) => body.id)).size, wallets.length);
    const again = await Promise.all(wallets.map(send));
    assert.deepEqual(
      again.map(({ text }) => text),
      first.map(({ text }) => text),
    );
  });

  test("a body cannot name another wallet's project, nor another account's sub-account", async () => {
    const [main, , other] = wallets as [Wallet, Wallet, Wallet, Wallet];
    const project = await main.client.post<{ id: string }>("/projects", { name: "Mine alone", color: "#000000" });
    for (const wallet of wallets.slice(1)) {
      const reply = await wallet.client.post(
        "/pix",
        { amount: 5, description: "d", projectId: project.body.id },
        wallet,
      );
      assert.equal(reply.status, 404, reply.text);
    }
    assert.equal((await main.client.post("/sub-accounts", { reference: "only-mine" })).status, 201);
    const split = [{ subAccount: "only-mine", amount: 1 }];
    const refused = await other.client.post("/pix", { amount: 5, description: "d", split });
    assert.equal((refused.body.details as { code: string }).code, "SUB_ACCOUNT_NOT_FOUND", refused.text);
    const named = await other.client.get("/account", { headers: { "x-sub-account": "only-mine" } });
    assert.equal((named.body.details as { code: string }).code, "SUB_ACCOUNT_NOT_FOUND", named.text);
  });

  test("money that comes in is seen in its wallet alone", async () => {
    const balances = () =>
      Promise.all(
        wallets.map(async (wallet) => {
          const reply = await wallet.client.get<{ balance: { total: { amount: number } } }>("/account", wallet);
          return reply.body.balance.total.amount;
        }),
      );
    for (const [i, wallet] of wallets.entries()) {
      const before = await balances();
      const charge = await wallet.client.post<{ id: string }>("/pix", { amount: 7, description: "mine" }, wallet);
      const paid = await wallet.client.post(`/sandbox/pix/${charge.body.id}/pay`, undefined, wallet);
      assert.equal(paid.status, 200, paid.text);
      const after = await balances();
      assert.deepEqual(
        after.map((amount, j) => amount - before[j]!),
        wallets.map((_, j) => (j === i ? 700 : 0)),
      );
    }
  });
});
