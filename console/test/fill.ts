/** What the pictures show, made by the APIs with the page's own session: every list has rows of several states. */
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";

/** Name, document, amount in BRL and what has become of it; the projects take turns. */
const ORDERS = [
  ["Mariana Alves Ribeiro", "52998224725", 259.9, "pay"],
  ["João Pedro Cavalcanti", "12345678909", 142.75, "pay"],
  ["Luiza Fonseca", "11144477735", 63.9, "pay"],
  ["Padaria Nova Esperança", "11222333000181", 1840, "pay"],
  ["Rosana Figueiredo", "39053344705", 312, null],
  ["Helena Duarte Pires", "15350946056", 89.4, "pay"],
  ["Vitor Sampaio", "86288366757", 75, "expire"],
] as const;

type Made = { readonly id: string };
/** Ids of what the sandbox was filled with: a charge that was paid, an account, a bank, a case that waits for somebody; the link of an invitation. */
export type Filled = Readonly<Record<"charge" | "account" | "institution" | "case" | "invitation", string>>;

/** Orders, withdrawals, a dispute, wallets, projects, codes, links, an endpoint, a colleague, an invitation. Gives the id of the first order's charge. */
export async function fillAccount(page: Page): Promise<string> {
  const post = <Answer = Made>(path: string, body: object) => callApi<Answer>(page, "POST", path, body);
  const projects = [
    await post("/v2/projects", { name: "Assinaturas", color: "#B0507A", description: "Cestas de toda semana" }),
    await post("/v2/projects", { name: "Avulsas", color: "#7C5CBF" }),
  ];
  const ids: string[] = [];
  for (const [i, [name, document, amount, act]] of ORDERS.entries()) {
    const externalReference = `pedido-${10_477 + i}`;
    const order = { amount, description: "Cesta da semana", externalReference, customer: { name, document } };
    const { id } = await post("/v2/pix", { ...order, projectId: projects[i % projects.length]!.id });
    ids.push(id);
    if (act !== null) await post(`/v2/sandbox/pix/${id}/${act}`, {});
  }
  // Nobody listens there: deliveries fail, and are tried again.
  await post("/v2/webhook-endpoints", { url: "http://127.0.0.1:9/pixgate" });
  for (const [reference, name] of [
    ["loja-centro", "Loja do Centro"],
    ["feira", "Feira de sábado"],
  ] as const) {
    await post("/v2/sub-accounts", { reference, name });
    await post("/v2/transfers", { subAccount: reference, amount: 40, description: "Caixa inicial" });
  }
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  const invite = (name: string, email: string, role: string) =>
    post<{ link: string }>(`/console/api/accounts/${accounts[0].accountId}/people`, { email, name, role });
  await openLink(page, (await invite("Beatriz Nunes", "beatriz@example.com", "support")).link);
  await invite("Caio Lima", "caio@example.com", "finance");
  const tips = await post("/v2/qr-codes", { kind: "static", name: "Gorjetas do balcão" });
  const breakfast = await post("/v2/qr-codes", { kind: "static", name: "Café da manhã", amount: 18.9 });
  await post("/v2/qr-codes", { kind: "till", name: "Caixa 1" });
  for (const [code, name, document, amount] of [
    [tips, "Luiza Fonseca", "11144477735", 5],
    [tips, "Vitor Sampaio", "86288366757", 12],
    [breakfast, "Helena Duarte Pires", "15350946056", undefined],
    [breakfast, "João Pedro Cavalcanti", "12345678909", undefined],
  ] as const) {
    await post(`/v2/sandbox/qr-codes/${code.id}/pay`, { amount, payer: { name, document } });
  }
  await post("/v2/payment-links", { name: "Cesta de Natal", amount: 189 });
  await post("/v2/payment-links", { name: "Oficina de pães", maxPayments: 12 });
  await post(`/v2/transactions/${ids[2]}/refund`, {});
  await post("/v2/sandbox/balance-blocks", { transactionId: ids[5], reason: "Não reconheço a compra" });
  // The second one reaches another name than was asked for.
  for (const [amount, pixKey, pixKeyType] of [
    [350, "12345678909", "cpf"],
    [120.5, "other-name@pixgate.test", "email"],
  ] as const) {
    const holder = { holderName: "Rosana Figueiredo", holderDocument: "12345678909", holderDocumentType: "cpf" };
    await post("/v2/withdrawals", { amount, pixKey, pixKeyType, externalReference: `saque-${amount}`, ...holder });
  }
  return ids[0]!;
}

/** Another account, a bank, people, tokens, brakes, and own money that is booked, discarded, or waits for a second person. */
export async function fillInstallation(page: Page): Promise<Omit<Filled, "charge">> {
  const post = <Answer = Made>(path: string, body: object) =>
    callApi<Answer>(page, "POST", `/operator/v1${path}`, body);
  const account = await post("/accounts", {
    name: "Padaria Boa Vista",
    legalName: "Boa Vista Ltda",
    document: "11222333000181",
  });
  const bank = { clientId: "a", clientSecret: "b", pixKey: "11222333000181", baseUrl: "http://127.0.0.1:9/v2" };
  const institution = await post("/institutions", {
    ...{ name: "Banco Aurora", provider: "api-pix", environment: "sandbox", priority: 200 },
    config: { ...bank, tokenUrl: "http://127.0.0.1:9/token" },
  });
  const rafael = { email: "rafael@example.com", name: "Rafael Tanaka", role: "finance" };
  const { link: invitation } = await post<{ link: string }>("/people", rafael);
  await post("/tokens", { name: "fechamento", role: "finance", kind: "machine", allowedIps: ["192.0.2.10"] });
  const lucia = { email: "lucia@example.com", name: "Lúcia Prado", role: "admin" };
  const token = await tokenOf(page, (await post<{ link: string }>("/people", lucia)).link);
  const brake = (paused: boolean) =>
    callApi(page, "PUT", "/operator/v1/brakes", { scope: "all", paused, reason: "Conferência com o banco" });
  await brake(true);
  await brake(false);
  await recordOwnMoney(page, token);
  const open = await callApi<Cases>(page, "GET", "/operator/v1/cases?kind=treasury_entry&status=open");
  return { account: account.id, institution: institution.id, case: open.items[0]!.id, invitation };
}

type Listed = { readonly items: readonly { readonly id: string; readonly name: string }[] };
type Case = { readonly proposal: { readonly id: string } };
type Cases = { readonly items: readonly { readonly id: string }[] };

async function recordOwnMoney(page: Page, token: string): Promise<void> {
  const { items } = await callApi<Listed>(page, "GET", "/operator/v1/institutions");
  const institutionId = items.find(({ name }) => name === "PSP simulator")!.id;
  const toInstitutionId = items.find(({ name }) => name === "Banco Aurora")!.id;
  const occurredAt = new Date(Date.now() - 3_600_000).toISOString();
  for (const [kind, amount, answer] of [
    ["top_up", 5_000, "approve"],
    ["tariff", 12.4, "approve"],
    ["sweep", 1_250, "discard"],
    ["interbank", 2_000, null],
  ] as const) {
    const why = { reference: "TED 40718", description: "Para os saques de segunda-feira no Banco Aurora" };
    const to = kind === "interbank" ? { toInstitutionId, ...why } : {};
    await callApi(page, "POST", "/operator/v1/treasury", { kind, amount, institutionId, occurredAt, ...to });
    if (answer === null) continue;
    const open = await callApi<Cases>(page, "GET", "/operator/v1/cases?kind=treasury_entry&status=open");
    const { id } = open.items[0]!;
    const proposalId = async () => (await callApi<Case>(page, "GET", `/operator/v1/cases/${id}`)).proposal.id;
    if (answer === "discard") {
      await asSecond(page, token, `/cases/${id}/reject`, { proposalId: await proposalId() });
      await callApi(page, "POST", `/operator/v1/cases/${id}/propose`, { action: "discard", parameters: {} });
    }
    await asSecond(page, token, `/cases/${id}/approve`, { proposalId: await proposalId() });
  }
}

type OpenedLink = { readonly send: (path: string, body: object) => Promise<Response> };

/** Accepts an invitation as the person it is for, with a session of their own. */
async function openLink(page: Page, link: string): Promise<OpenedLink> {
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(new URL(path, page.url()), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const opened = await send("/console/api/session/link", { token: link.split("#link=")[1] });
  if (!opened.ok) throw new Error(`the link: ${await opened.text()}`);
  const { csrfToken } = (await opened.json()) as { csrfToken: string };
  const cookie = opened.headers.getSetCookie()[0]!.split(";")[0]!;
  return { send: (path, body) => send(path, body, { cookie, "x-pixgate-csrf": csrfToken }) };
}

/** A second person's own token: one of the first person's would count as the first person. */
async function tokenOf(page: Page, link: string): Promise<string> {
  const { send } = await openLink(page, link);
  const made = await send("/operator/v1/tokens", { name: "Lúcia Prado", role: "finance" });
  return ((await made.json()) as { token: string }).token;
}

/** Answers as a second person, whom the installation requires. */
async function asSecond(page: Page, token: string, path: string, body: object): Promise<void> {
  const answer = await fetch(new URL(`/operator/v1${path}`, page.url()), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}
