/**
 * Projects as the interface has them: sections "Project", "POST /projects", "GET /projects" and "PIX charge request"
 * (projectId); and the contract, section 3 (project, unknown projectId).
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startBeside } from "../harness/process.ts";
import { as, credentialOf, newAccount } from "./merchant.ts";
import { assertInvalid, assertRefused, nothingMoves as nothingElseMoves } from "./refusal.ts";

type Project = { id: string; name: string; color: string; description?: string; logoUrl?: string; createdAt: string };
type Page = { items: Project[]; total: number; page: number; limit: number; totalPages: number };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

/** A merchant of an account of its own, with two sub-accounts, `um` and `dois`. */
async function merchant(): Promise<Client> {
  const client = await credentialOf(gateway, await newAccount(gateway));
  for (const reference of ["um", "dois"]) {
    assert.equal((await client.post("/sub-accounts", { reference })).status, 201);
  }
  return client;
}
const COLOR = "#1E90ff";
async function create(client: Client, name: string, wallet: string | null = null, more: object = {}): Promise<Project> {
  const reply = await client.post<Project>("/projects", { name, color: COLOR, ...more }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
async function list(client: Client, query = "", wallet: string | null = null): Promise<Page> {
  const reply = await client.get<Page>(`/projects${query}`, as(wallet));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const names = async (client: Client, query = "", wallet: string | null = null) =>
  (await list(client, query, wallet)).items.map((project) => project.name);
/** The project of a new charge, as GET /transactions shows it. */
async function chargedTo(client: Client, body: object = {}, wallet: string | null = null): Promise<unknown> {
  const created = await client.post<{ id: string }>("/pix", { amount: 1, description: "d", ...body }, as(wallet));
  assert.equal(created.status, 201, created.text);
  const found = await client.get(`/transactions/${created.body.id}`, as(wallet));
  assert.equal(found.status, 200, found.text);
  return found.body.projectId;
}

/** As the other contract tests have it, and no project appears or changes either. */
async function nothingMoves(work: () => Promise<unknown>): Promise<void> {
  const projects = async () =>
    (await gateway.running.ctx.db.query(sql`select * from projects order by account_id, project_id`)).rows;
  const before = await projects();
  await nothingElseMoves(gateway, work);
  assert.deepEqual(await projects(), before);
}

describe("POST /projects", () => {
  test("the answer has exactly the fields of the interface, and what was left out or null is left out", {
    rules: ["project.id", "project.description", "project.logoUrl", "project.createdAt", "service.6"],
  }, async () => {
    const client = await merchant();
    const full = {
      name: "Loja",
      color: "#00ffAA",
      description: "Vendas do site",
      logoUrl: "https://cdn.example.com/l.png?v=1",
    };
    const reply = await client.post<Project>("/projects", full);
    assert.equal(reply.status, 201, reply.text);
    const { id, createdAt, ...rest } = reply.body;
    assert.deepEqual(rest, full);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    for (const more of [{}, { description: null, logoUrl: null }]) {
      const bare = await create(client, `Bare ${Object.keys(more).length}`, null, more);
      assert.deepEqual(Object.keys(bare).sort(), ["color", "createdAt", "id", "name"]);
    }
    const { items } = await list(client, "?sortOrder=asc");
    assert.deepEqual(items[0], reply.body);
  });

  test("a name has 1 to 255 characters, counted in code points", {
    rules: ["project.name", "limit.names"],
  }, async () => {
    const client = await merchant();
    for (const name of [
      "x",
      "x".repeat(254),
      "x".repeat(255),
      "é".repeat(255),
      "😀".repeat(255),
      " x ",
      "Padaria & Cia.",
    ]) {
      assert.equal((await create(client, name)).name, name);
    }
    await nothingMoves(async () => {
      for (const name of ["", " ", "x".repeat(256), "😀".repeat(256), "a\0b", null, 1, true, ["x"], {}]) {
        const reply = await client.post("/projects", { name, color: COLOR });
        assertInvalid(reply, ["name"], JSON.stringify(name).slice(0, 20));
      }
    });
  });

  test("a color is # and six hexadecimal digits, kept as it was written", { rules: ["project.color"] }, async () => {
    const client = await merchant();
    for (const color of ["#000000", "#ffffff", "#FFFFFF", "#0aF9Bc"]) {
      assert.equal((await create(client, `in ${color}`, null, { color })).color, color);
    }
    await nothingMoves(async () => {
      const wrong = [
        "", "#", "000000", "#00000", "#0000000", "#00000g", "#00 000", " #000000", "#000000 ", "#000000\n", "#fff", "red", "#٠٠٠٠٠٠",
        null, 0, true, ["#000000"],
      ]; // biome-ignore format: a list reads better in rows
      for (const color of wrong) {
        assertInvalid(await client.post("/projects", { name: "x", color }), ["color"], JSON.stringify(color));
      }
    });
  });

  test("name and color are required, and a field that does not exist is refused by name", async () => {
    const client = await merchant();
    await nothingMoves(async () => {
      assertInvalid(await client.post("/projects", {}), ["color", "name"]);
      assertInvalid(await client.post("/projects", { name: "x" }), ["color"]);
      assertInvalid(await client.post("/projects", { color: COLOR }), ["name"]);
      assertInvalid(await client.post("/projects", { name: "x", color: COLOR, logo: "x" }), ["logo"]);
      assertInvalid(await client.post("/projects", { name: "x", color: COLOR, id: randomUUID() }), ["id"]);
      assertInvalid(await client.post("/projects", "x"), ["body"]);
    });
  });

  test("a logoUrl is an http or https address of up to 2048 characters", { rules: ["project.logoUrl"] }, async () => {
    const client = await merchant();
    const base = "https://cdn.example.com/";
    const longest = base + "x".repeat(2048 - base.length);
    for (const [i, logoUrl] of ["http://a.b/c", "https://localhost:8080", "HTTPS://A.B/?q=%20#f", longest].entries()) {
      assert.equal((await create(client, `logo ${i}`, null, { logoUrl })).logoUrl, logoUrl);
    }
    await nothingMoves(async () => {
      const wrong = [
        "", "x", "logo.png", "/logo.png", "//a.b/c", "http://", "https:///a", "https:a.b", "javascript:alert(1)", "ftp://a.b/c",
        "data:image/png;base64,AA==", "https://a b/c", "https://a.b/c d", " https://a.b", `${longest}x`, 1, true, {},
      ]; // biome-ignore format: a list reads better in rows
      for (const logoUrl of wrong) {
        const reply = await client.post("/projects", { name: "x", color: COLOR, logoUrl });
        assertInvalid(reply, ["logoUrl"], JSON.stringify(logoUrl).slice(0, 40));
      }
    });
  });

  test("a description has up to 2000 characters", async () => {
    const client = await merchant();
    for (const description of ["x", "x".repeat(1999), "x".repeat(2000), "Linha 1\nLinha 2"]) {
      const project = await create(client, `d ${description.length}`, null, { description });
      assert.equal(project.description, description);
    }
    await nothingMoves(async () => {
      for (const description of ["", " ", "x".repeat(2001), 1, false, []]) {
        const reply = await client.post("/projects", { name: "x", color: COLOR, description });
        assertInvalid(reply, ["description"], JSON.stringify(description).slice(0, 20));
      }
    });
  });

  test("a name that is taken is 409 with resource, field and value, and the first stays as it was", {
    rules: ["project.taken", "error.409", "error.body.details"],
  }, async () => {
    const client = await merchant();
    await create(client, "Loja", "um");
    await nothingMoves(async () => {
      const reply = await client.post("/projects", { name: "Loja", color: "#000000", description: "other" }, as("um"));
      const { details } = assertRefused(reply, 409, "PROJECT_NAME_TAKEN");
      assert.deepEqual(details, { code: "PROJECT_NAME_TAKEN", resource: "project", field: "name", value: "Loja" });
    });
  });

  test("a name is unique in its wallet, to the letter: other wallets and accounts may have it too", async () => {
    const [client, stranger] = [await merchant(), await merchant()];
    const made = [
      await create(client, "Loja"),
      await create(client, "Loja", "um"),
      await create(client, "Loja", "dois"),
      await create(stranger, "Loja"),
      await create(client, "loja"),
      await create(client, "Loja "),
    ];
    assert.equal(new Set(made.map((project) => project.id)).size, 6);
  });

  test("of 20 equal creates at once one is 201 and nineteen are 409", async () => {
    const client = await merchant();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        client.post("/projects", { name: "Race", color: COLOR, description: `${i}` }),
      ),
    );
    assert.deepEqual(replies.map((r) => r.status).sort(), [201, ...Array(19).fill(409)]);
    for (const reply of replies) if (reply.status === 409) assertRefused(reply, 409, "PROJECT_NAME_TAKEN");
    assert.deepEqual((await list(client)).items, [replies.find((r) => r.status === 201)!.body]);
  });

  test("20 equal creates at once with one Idempotency-Key make one project and get the same bytes", async () => {
    const client = await merchant();
    const options = as("um", { "idempotency-key": "project-race" });
    const body = { name: "Race", color: COLOR };
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.post("/projects", body, options)));
    assert.deepEqual([...new Set(replies.map((r) => r.status))], [201]);
    assert.equal(new Set(replies.map((r) => r.text)).size, 1);
    assert.equal(replies.filter((r) => r.headers.get("idempotent-replayed") === "true").length, 19);
    assert.equal((await list(client, "", "um")).total, 1);
    await nothingMoves(async () => {
      assertRefused(await client.post("/projects", { ...body, name: "Other" }, options), 422, "IDEMPOTENCY_KEY_REUSED");
      assertRefused(await client.post("/projects", { name: "" }, options), 422, "IDEMPOTENCY_KEY_REUSED");
    });
    // The key's scope is the wallet: in another one the same key is another call.
    const elsewhere = await client.post("/projects", body, as("dois", { "idempotency-key": "project-race" }));
    assert.equal(elsewhere.status, 201, elsewhere.text);
    assert.notEqual(elsewhere.text, replies[0]!.text);
  });

  test("a refused create leaves its Idempotency-Key free", async () => {
    const client = await merchant();
    const options = as(null, { "idempotency-key": "project-free" });
    await create(client, "Loja");
    assertRefused(await client.post("/projects", { name: "Loja", color: COLOR }, options), 409, "PROJECT_NAME_TAKEN");
    assert.equal((await client.post("/projects", { name: "Loja 2", color: COLOR }, options)).status, 201);
  });

  test("the refusals come in order: token, permission, suspended account, wallet, body, conflict", {
    rules: ["project.errors"],
  }, async () => {
    const accountId = await newAccount(gateway);
    const full = await credentialOf(gateway, accountId);
    await create(full, "Loja");
    const bad = { name: "Loja", color: "red" };
    const [reader, writer] = [
      await credentialOf(gateway, accountId, { permissions: ["PROJECT:READ"] }),
      await credentialOf(gateway, accountId, { permissions: ["PROJECT:WRITE"], subAccountAccess: false }),
    ];
    await nothingMoves(async () => {
      assertRefused(await reader.post("/projects", bad, { token: null }), 401, "TOKEN_MISSING");
      const denied = assertRefused(await reader.post("/projects", bad, as("BAD!")), 403, "PERMISSION_DENIED");
      assert.equal(denied.details.required, "PROJECT:WRITE");
      assert.equal(
        assertRefused(await writer.get("/projects"), 403, "PERMISSION_DENIED").details.required,
        "PROJECT:READ",
      );
      assertRefused(await writer.post("/projects", bad, as("BAD!")), 400, "SUB_ACCOUNT_INVALID_REFERENCE");
      assertRefused(await writer.post("/projects", bad, as("um")), 403, "SUB_ACCOUNT_FORBIDDEN");
      assertRefused(await full.post("/projects", bad, as("um")), 404, "SUB_ACCOUNT_NOT_FOUND");
      assertInvalid(await writer.post("/projects", bad), ["color"]);
      assertRefused(await writer.post("/projects", { ...bad, color: COLOR }), 409, "PROJECT_NAME_TAKEN");
    });
    await gateway.operator.patch(`/accounts/${accountId}`, { status: "suspended" });
    const late = await credentialOf(gateway, accountId);
    await nothingMoves(async () =>
      assertRefused(await late.post("/projects", bad, as("BAD!")), 403, "ACCOUNT_SUSPENDED"),
    );
    assert.deepEqual(await names(late), ["Loja"]);
  });
});

describe("GET /projects", () => {
  let client: Client;
  before(async () => {
    client = await merchant();
    // 45 projects: three pages of the default size, the last one not full.
    for (let i = 1; i <= 45; i += 1) await create(client, `p${String((i * 7) % 46).padStart(2, "0")}`);
  });
  const created = Array.from({ length: 45 }, (_, i) => `p${String(((i + 1) * 7) % 46).padStart(2, "0")}`);

  test("without anything said it is the first 20, the newest first", { rules: ["project.list.envelope"] }, async () => {
    const page = await list(client);
    assert.deepEqual(Object.keys(page).sort(), ["items", "limit", "page", "total", "totalPages"]);
    assert.deepEqual({ ...page, items: null }, { items: null, total: 45, page: 1, limit: 20, totalPages: 3 });
    assert.deepEqual(
      page.items.map((p) => p.name),
      created.toReversed().slice(0, 20),
    );
  });

  test("every page follows the one before, without a gap or a repetition, and one past the end is empty", async () => {
    for (const limit of [1, 7, 20, 45, 99, 100]) {
      const totalPages = Math.ceil(45 / limit);
      const seen: string[] = [];
      for (let page = 1; page <= totalPages; page += 1) {
        const answer = await list(client, `?limit=${limit}&page=${page}`);
        assert.deepEqual({ ...answer, items: null }, { items: null, total: 45, page, limit, totalPages });
        assert.equal(answer.items.length, page < totalPages ? limit : 45 - limit * (totalPages - 1));
        seen.push(...answer.items.map((p) => p.name));
      }
      assert.deepEqual(seen, created.toReversed(), `limit ${limit}`);
      const past = await list(client, `?limit=${limit}&page=${totalPages + 1}`);
      assert.deepEqual(past, { items: [], total: 45, page: totalPages + 1, limit, totalPages });
    }
    assert.deepEqual((await list(client, "?page=2147483647&limit=100")).items, []);
  });

  test("projects of one instant follow one order over all pages, the later ones first", async () => {
    const other = await merchant();
    const ids: string[] = [];
    for (let i = 0; i < 9; i += 1) ids.push((await create(other, `p${i}`)).id);
    // Written in another order than they were made in, and to one instant.
    for (const id of ids.toReversed()) {
      await gateway.owner.query(sql`
        update projects set created_at = '2026-01-01T00:00:00Z' where project_id = ${id}`);
    }
    for (const sortOrder of ["desc", "asc"]) {
      const seen: string[] = [];
      for (let page = 1; page <= 5; page += 1) {
        seen.push(...(await list(other, `?limit=2&sortOrder=${sortOrder}&page=${page}`)).items.map((p) => p.id));
      }
      assert.deepEqual(seen, sortOrder === "asc" ? ids : ids.toReversed());
    }
  });

  test("it is sorted by createdAt, updatedAt or name, up or down", { rules: ["project.list.sort"] }, async () => {
    const sorted = [...created].sort();
    for (const [query, expected] of [
      ["sortBy=name&sortOrder=asc", sorted],
      ["sortBy=name&sortOrder=desc", sorted.toReversed()],
      ["sortBy=name", sorted.toReversed()],
      ["sortBy=createdAt&sortOrder=asc", created],
      ["sortBy=createdAt&sortOrder=desc", created.toReversed()],
      ["sortBy=updatedAt&sortOrder=asc", created],
      ["sortBy=updatedAt&sortOrder=desc", created.toReversed()],
      ["sortOrder=asc", created],
    ] as const) {
      assert.deepEqual(await names(client, `?limit=100&${query}`), expected, query);
    }
  });

  test("outside the ranges it is 400 and names the parameter; unknown parameters are ignored", {
    rules: ["project.list.page", "limit.project.page"],
  }, async () => {
    const wrong = {
      page: ["0", "-1", "1.5", "x", "", "NaN", "Infinity", "1e400", "2147483648", "null", "1&page=2"],
      limit: ["0", "-1", "101", "1.5", "x", "", "1e3", "true"],
      sortBy: ["", "id", "created_at", "Name", "name;", "name&sortBy=name"],
      sortOrder: ["", "ASC", "up", "1"],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values)
        assertInvalid(await client.get(`/projects?${name}=${value}`), [name], `${name}=${value}`);
    }
    assertInvalid(await client.get("/projects?page=0&limit=101&sortBy=x&sortOrder=y"), Object.keys(wrong));
    assert.equal((await list(client, "?nonsense=1&Page=0")).page, 1);
  });

  test("without projects there is no page", async () => {
    assert.deepEqual(await list(client, "", "um"), { items: [], total: 0, page: 1, limit: 20, totalPages: 0 });
  });

  test("a wallet sees its own projects only, and so does an account", async () => {
    const [mine, stranger] = [await merchant(), await merchant()];
    await create(mine, "main");
    await create(mine, "of um", "um");
    await create(stranger, "theirs", "um");
    assert.deepEqual(
      [await names(mine), await names(mine, "", "um"), await names(mine, "", "dois"), await names(stranger, "", "um")],
      [["main"], ["of um"], [], ["theirs"]],
    );
  });
});

describe("the project of a charge", () => {
  test("is the one that was named, in whatever case its id is written", {
    rules: ["charge.projectId", "transaction.projectId"],
  }, async () => {
    const client = await merchant();
    const [one, two] = [await create(client, "1"), await create(client, "2")];
    assert.equal(await chargedTo(client, { projectId: one.id }), one.id);
    assert.equal(await chargedTo(client, { projectId: two.id.toUpperCase() }), two.id);
  });

  test("that is not this wallet's is 404, whoever's it is, and no charge is made", async () => {
    const [client, stranger] = [await merchant(), await merchant()];
    const [main, um, theirs] = [
      await create(client, "m"),
      await create(client, "u", "um"),
      await create(stranger, "t"),
    ];
    const cases = [
      [null, um.id], [null, theirs.id], [null, randomUUID()], ["um", main.id], ["um", theirs.id], ["dois", um.id],
    ] as const; // biome-ignore format: a table
    await nothingMoves(async () => {
      for (const [wallet, projectId] of cases) {
        const reply = await client.post("/pix", { amount: 1, description: "d", projectId }, as(wallet));
        const { details } = assertRefused(reply, 404, "RESOURCE_NOT_FOUND", `${wallet} ${projectId}`);
        assert.deepEqual([details.resource, details.id], ["project", projectId]);
      }
      for (const projectId of ["", "x", 1, `urn:uuid:${main.id}`, main.id.slice(1), `{${main.id}}`]) {
        const reply = await client.post("/pix", { amount: 1, description: "d", projectId });
        assertInvalid(reply, ["projectId"], String(projectId));
      }
    });
  });

  test("a project that is not found leaves the Idempotency-Key free", async () => {
    const client = await merchant();
    const project = await create(client, "p");
    const options = as(null, { "idempotency-key": "charge-of-project" });
    const body = { amount: 1, description: "d" };
    assertRefused(await client.post("/pix", { ...body, projectId: randomUUID() }, options), 404, "RESOURCE_NOT_FOUND");
    const made = await client.post<{ id: string }>("/pix", { ...body, projectId: project.id }, options);
    assert.equal(made.status, 201, made.text);
    assert.equal((await client.get("/transactions/charge-of-project")).body.projectId, project.id);
  });

  test("is the wallet's only one when none is named, from the very next charge on, and none when there are several", {
    rules: ["charge.projectId"],
  }, async () => {
    const client = await merchant();
    for (const wallet of [null, "um"]) {
      assert.equal(await chargedTo(client, {}, wallet), undefined);
      const only = await create(client, "only", wallet);
      assert.equal(await chargedTo(client, {}, wallet), only.id);
      assert.equal(await chargedTo(client, { projectId: null }, wallet), only.id);
      const second = await create(client, "second", wallet);
      assert.equal(await chargedTo(client, {}, wallet), undefined);
      assert.equal(await chargedTo(client, { projectId: second.id }, wallet), second.id);
      await create(client, "third", wallet);
      assert.equal(await chargedTo(client, {}, wallet), undefined);
    }
    assert.equal(await chargedTo(client, {}, "dois"), undefined);
  });

  test("stays as it was made: a second project later changes no earlier charge, also not when it is paid", async () => {
    const client = await merchant();
    const only = await create(client, "only");
    const charge = await client.post<{ id: string }>("/pix", { amount: 1, description: "d" });
    await create(client, "second");
    const paid = await client.post(`/sandbox/pix/${charge.body.id}/pay`);
    assert.deepEqual([paid.body.status, paid.body.projectId], ["completed", only.id]);
  });

  test("is each charge's own when many of several wallets are made at once", async () => {
    const client = await merchant();
    const only = { um: (await create(client, "a", "um")).id, dois: (await create(client, "b", "dois")).id };
    const [main] = [await create(client, "c"), await create(client, "d")];
    const results = await Promise.all(
      Array.from({ length: 20 }, async () => [
        await chargedTo(client),
        await chargedTo(client, { projectId: main.id }),
        await chargedTo(client, {}, "um"),
        await chargedTo(client, {}, "dois"),
      ]),
    );
    for (const result of results) assert.deepEqual(result, [undefined, main.id, only.um, only.dois]);
  });

  test("made through one process is inherited by the next charge of another", async () => {
    const second = await startBeside(gateway);
    try {
      const here = await credentialOf(gateway, gateway.sandbox.accountId);
      const there = await second.client(gateway.sandbox);
      await here.post("/sub-accounts", { reference: "two-processes" });
      assert.equal(await chargedTo(there, {}, "two-processes"), undefined);
      const only = await create(here, "only", "two-processes");
      assert.equal(await chargedTo(there, {}, "two-processes"), only.id);
      await create(there, "second", "two-processes");
      assert.equal(await chargedTo(here, {}, "two-processes"), undefined);
    } finally {
      await second.stop();
    }
  });
});

describe("The figures of projects", () => {
  test("are what the charges of 30 days have brought, only where they are asked for, of the wallet's own projects", async () => {
    const client = await merchant();
    const [shop, empty] = [await create(client, "shop"), await create(client, "empty")];
    const charge = async (amount: number) =>
      (await client.post<{ id: string }>("/pix", { amount, description: "d", projectId: shop.id })).body.id;
    const ids = [await charge(10), await charge(25.5), await charge(7)];
    for (const id of ids.slice(0, 2)) await client.post(`/sandbox/pix/${id}/pay`);
    await client.post("/pix", { amount: 99, description: "of no project" });
    const { items } = await list(client, "?figures=true&sortBy=name&sortOrder=desc");
    const figures = items.map((one) => (one as Project & { figures: Record<string, unknown> }).figures);
    const days = (Date.now() - Date.parse(figures[0]!.since as string)) / 86_400_000;
    assert.ok(days >= 30 && days < 30.1, String(days));
    const { since } = figures[0]!;
    assert.deepEqual(figures, [
      { since, charges: 3, payments: 2, paidAmount: 35.5, more: false },
      { since, charges: 0, payments: 0, paidAmount: 0, more: false },
    ]);
    // A refund takes none away.
    assert.equal((await client.post(`/transactions/${ids[0]}/refund`, {})).status, 201);
    const again = (await list(client, "?figures=true&sortBy=name&sortOrder=desc")).items[0] as typeof shop & {
      figures: { payments: number };
    };
    assert.equal(again.figures.payments, 2);
    assert.deepEqual((await list(client, "?sortBy=name&sortOrder=desc")).items, [shop, empty]);
    assert.deepEqual((await list(client, "?figures=true", "um")).items, []);
  });

  test("need the permission to read transactions", async () => {
    const client = await credentialOf(gateway, await newAccount(gateway), { permissions: ["PROJECT:READ"] });
    assert.equal((await client.get("/projects")).status, 200);
    const { required } = assertRefused(await client.get("/projects?figures=true"), 403, "PERMISSION_DENIED").details;
    assert.equal(required, "TRANSACTION:READ");
  });
});
