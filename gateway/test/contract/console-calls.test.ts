/** What the console's own calls leave in the audit log is what their routes say: held for every one of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { listRoutes } from "../../src/http/route.ts";
import { appCode } from "../harness/authenticator.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { Passkey } from "../harness/passkey.ts";
import { startProvider, type TestProvider } from "../harness/provider.ts";

const PASSWORD = "um cavalo correto grampeia";
const API = "/console/api";
let gateway: TestGateway;
let provider: TestProvider;
let origin: string;
before(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  provider = await startProvider(`${origin}/console/provider`);
  gateway = await startGateway({
    ...{ PIXGATE_PORT: String(port), PIXGATE_PUBLIC_URL: origin, PIXGATE_OIDC_ISSUER: provider.issuer },
    ...{ PIXGATE_OIDC_CLIENT_ID: "pixgate", PIXGATE_OIDC_CLIENT_SECRET: provider.clientSecret },
  });
});
after(async () => {
  await gateway?.stop();
  await provider?.stop();
});

type Body = Record<string, string> & { items: Record<string, string>[]; person: { id: string } };
/** Traffic makes a credential and ends it later, in a run of its own. */
const ELSEWHERE = ["POST", "DELETE"].map((method) => `${method} ${API}/traffic`);
const called = new Set<string>(ELSEWHERE);
const routes = () =>
  listRoutes(gateway.running.app!).filter(({ method, scope }) => method !== "GET" && scope === "session");
const entries = async () => {
  const { rows } = await gateway.owner.query<{ id: string; action: string }>(sql`
    select account_id::text || seq as id, action from audit_log`);
  return rows;
};

/** Calls the route, and holds the new entries against what the route says. @returns the answer. */
async function call(by: Browser, method: string, path: string, body?: unknown, ids: readonly string[] = []) {
  const { route } = routes().find((one) => one.method === method && one.path === API + path)!;
  const known = new Set((await entries()).map(({ id }) => id));
  const given = [...ids];
  const reply = await by.send<Body>(method, API + path.replaceAll(/:\w+/g, () => given.shift()!), body);
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
  const made = (await entries()).filter(({ id }) => !known.has(id)).map(({ action }) => action);
  const said = route.audits!;
  assert.deepEqual(
    made.filter((action) => !said.includes(action)),
    [],
    `${method} ${path} leaves what its route does not say`,
  );
  if (said.length > 0) assert.ok(made.length > 0, `${method} ${path} leaves nothing`);
  called.add(`${method} ${API + path}`);
  return reply.body;
}

test("every call of the console leaves an entry that its route says, and no other", async () => {
  const admin = await new Browser(origin).use(firstLink(gateway));
  const { accountId } = gateway.sandbox;
  const tokenOf = ({ link }: Body) => link!.split("#link=")[1]!;
  const invite = async (email: string, role = "admin") =>
    tokenOf(await call(admin, "POST", "/people", { email, role }));

  // Signing in, each way.
  const ana = new Browser(origin);
  const link = await invite("ana@example.com");
  await call(ana, "POST", "/session/link/look", { token: link });
  const { person } = await call(ana, "POST", "/session/link", { token: link });
  await call(ana, "PATCH", "/me", { name: "Ana" });
  await call(ana, "POST", "/me/password", { password: PASSWORD });
  const { secret } = await call(ana, "POST", "/me/totp", {});
  const confirmed = (await call(ana, "POST", "/me/totp/confirm", { code: appCode(secret!) })) as unknown as {
    recoveryCodes: string[];
    session: { csrfToken: string };
  };
  ana.csrfToken = confirmed.session.csrfToken;
  const given = { email: "ana@example.com", password: PASSWORD };
  const other = new Browser(origin);
  await call(other, "POST", "/session/password", { ...given, code: appCode(secret!, 1) });
  const [recoveryCode] = confirmed.recoveryCodes;
  await call(ana, "POST", "/session/confirm", { password: PASSWORD, recoveryCode });
  await call(ana, "POST", "/me/recovery-codes", {});
  const passkey = new Passkey(origin);
  type Options = Parameters<Passkey["make"]>[0];
  const options = async (path: string, by = ana) => (await call(by, "POST", path, {})) as unknown as Options;
  const added = (await call(ana, "POST", "/me/passkeys", {
    ...{ name: "Notebook", response: passkey.make(await options("/me/passkey-options")) },
  })) as unknown as { id: string; session: { csrfToken: string } };
  ana.csrfToken = added.session.csrfToken;
  await call(ana, "PATCH", "/me/passkeys/:id", { name: "Phone" }, [added.id]);
  await options("/session/confirm/options");
  const third = new Browser(origin);
  const signed = passkey.sign(await options("/session/passkey/options", third));
  await call(third, "POST", "/session/passkey", { response: signed });
  const sessions = async () => (await ana.send<Body>("GET", `${API}/sessions`)).body.items;
  const stranger = (await sessions()).find((one) => !(one as unknown as { current: boolean }).current)!;
  await call(ana, "DELETE", "/sessions/:id", undefined, [stranger.id!]);
  await call(ana, "DELETE", "/sessions");
  await call(ana, "DELETE", "/me/passkeys/:id", undefined, [added.id]);
  await call(ana, "DELETE", "/me/totp");
  await call(ana, "POST", "/me/notices/seen", { until: new Date(Date.now() - 1_000).toISOString() });

  // At the provider: somebody new, and a confirmation.
  provider.accounts.set("bia", { email: "bia@example.com", email_verified: true });
  await invite("bia@example.com", "support");
  const [bia, there] = [new Browser(origin), new Map<string, string>()];
  const asked = await call(bia, "POST", "/session/provider", {});
  await call(bia, "POST", "/session/provider/answer", { query: await provider.visit(asked.url!, "bia", there) });
  await call(bia, "POST", "/session/confirm/provider", {});
  await call(bia, "DELETE", "/session");

  // People, of the installation and of an account, and links.
  await call(admin, "PATCH", "/people/:personId", { role: "finance" }, [person.id]);
  await call(admin, "DELETE", "/people/:personId", undefined, [person.id]);
  await invite("caio@example.com");
  const open = async (path: string) => (await admin.send<Body>("GET", API + path)).body.items[0]!;
  await call(admin, "DELETE", "/invitations/:invitationId", undefined, [(await open("/invitations")).invitationId!]);
  const people = "/accounts/:accountId/people";
  const toAccount = { email: "davi@example.com", role: "developer" };
  const joined = tokenOf(await call(admin, "POST", people, toAccount, [accountId]));
  const davi = new Browser(origin);
  const { person: member } = await call(davi, "POST", "/session/link", { token: joined });
  await call(admin, "POST", people, { email: "eva@example.com", role: "viewer" }, [accountId]);
  const invitations = `/accounts/${accountId}/invitations`;
  const withdrawn = (await open(invitations)).invitationId!;
  await call(admin, "DELETE", "/accounts/:accountId/invitations/:invitationId", undefined, [accountId, withdrawn]);

  const credentials = "/accounts/:accountId/credentials";
  const made = await call(davi, "POST", credentials, { name: "till", permissions: ["PIX:WRITE"] }, [accountId]);
  const one = [accountId, made.id!];
  await call(davi, "POST", `${credentials}/:id/rotate`, undefined, one);
  await call(admin, "POST", `${credentials}/:id/adopt`, undefined, one);
  await call(admin, "PATCH", `${credentials}/:id`, { name: "shop" }, one);
  await call(admin, "DELETE", `${credentials}/:id`, undefined, one);
  await call(admin, "PATCH", `${people}/:personId`, { role: "viewer" }, [accountId, member.id]);
  await call(admin, "DELETE", `${people}/:personId`, undefined, [accountId, member.id]);
  const recovery = await gateway.operator.post("/people/recovery", { email: "bia@example.com" });
  assert.equal(recovery.status, 201, recovery.text);
  await call(admin, "DELETE", "/recovery-links/:linkId", undefined, [(await open("/recovery-links")).linkId!]);

  const { items: banks } = (await gateway.operator.get<Body>("/institutions")).body;
  await call(admin, "POST", "/institutions/:id/outage", undefined, [banks[0]!.id!]);
  await call(admin, "DELETE", "/institutions/:id/outage", undefined, [banks[0]!.id!]);

  const all = routes().map(({ method, path }) => `${method} ${path}`);
  assert.ok(all.length > 35, `${all.length} routes`);
  assert.deepEqual(
    all.filter((route) => !called.has(route)),
    [],
    "call it here",
  );
});
