/** Stark Bank's API in front of the simulator, in the shapes of its official SDK, its description and its samples. */
import { generateKeyPairSync, sign, verify } from "node:crypto";
import type { Front, Simulated } from "../../harness/simulator-psp.ts";
import { type Answer, type Back, type Behind, centavosIn, type Heard, startBridge, valorOf } from "./bridge.ts";

const PROJECT = "5656565656565656";
/** Seconds that the time of a request may be from the bank's. */
const SKEW = 300;

const yes = (body: unknown): Answer => ({ status: 200, body });
const no = (code: string, message = code): Answer => ({ status: 400, body: { errors: [{ code, message }] } });

/** Keys that the simulator knows nobody of, or another owner of. */
const UNKNOWN = "unknown@pixgate.test";
const OTHER_OWNER = "other-owner@pixgate.test";
const STRANGER = "11144477735";

// biome-ignore lint/suspicious/noExplicitAny: the simulator's answers are read field by field, and a wrong one fails its test
type Shown = any;

const pairOf = () => generateKeyPairSync("ec", { namedCurve: "secp256k1" });
const pemOf = (key: ReturnType<typeof pairOf>["publicKey"]) => key.export({ type: "spki", format: "pem" }).toString();
const bankKeys = pairOf();

/** "12345678909" as 123.456.789-09, as the bank writes documents. */
const written = (document: string): string =>
  document.length === 11
    ? document.replace(/^(.{3})(.{3})(.{3})/, "$1.$2.$3-")
    : document.replace(/^(.{2})(.{3})(.{3})(.{4})/, "$1.$2.$3/$4-");

/** An account that nobody reads: the key, as the directory encrypts branch and number. */
const hidden = (key: string): string => Buffer.from(key).toString("base64url");

const STATUS: Readonly<Record<string, string>> = {
  EM_PROCESSAMENTO: "processing",
  AGUARDANDO_APROVACAO: "created",
  REALIZADO: "success",
  NAO_REALIZADO: "failed",
};

/** A transfer as it was asked for. */
type Given = {
  readonly bankId: string;
  readonly amount: number;
  readonly name: string;
  readonly taxId: string;
  readonly bankCode: string;
  readonly branchCode: string;
  readonly accountNumber: string;
  readonly externalId: string;
  readonly tags: readonly string[];
};

/** @param owner the owner of every key that names none itself. */
export const bridgeStark = (simulated: Simulated): Promise<Front> => startStark(simulated, "52998224725");

export async function startStark(simulated: Simulated, owner: string): Promise<Front> {
  const own = pairOf();
  const given = new Map<string, Given>();
  const webhooks: { id: string; url: string; subscriptions: string[] }[] = [];

  function refuses({ headers, raw }: Heard): Answer | null {
    const { "access-id": id, "access-time": time, "access-signature": signature } = headers;
    if (id !== `project/${PROJECT}`) return no("invalidAccessId");
    if (Math.abs(Number(time) - Date.now() / 1_000) > SKEW) return no("invalidAccessTime");
    const message = Buffer.from(`${id}:${time}:${raw}`);
    const isOurs = verify("sha256", message, own.publicKey, Buffer.from(String(signature), "base64"));
    return isOurs ? null : no("invalidSignature");
  }

  function dictKey({ ids }: Heard): Answer {
    const [key = ""] = ids;
    if (key === UNKNOWN) return no("invalidPixKey", "Pix key not found");
    const document = key === OTHER_OWNER ? STRANGER : /^(\d{11}|\w{14})$/.test(key) ? key : owner;
    const account = {
      ispb: "20018183",
      branchCode: hidden("0001"),
      accountNumber: hidden(key),
      accountType: "payment",
    };
    const person = document.length === 11 ? "naturalPerson" : "legalPerson";
    const holder = { name: "Favorecido Teste", taxId: written(document), ownerType: person, status: "registered" };
    return yes({ key: { id: key, type: "evp", bankName: "Stark Bank", ...account, ...holder } });
  }

  /** What the simulator has of a transfer; null where it has none. */
  async function sentOf(externalId: string, back: Back): Promise<Shown | null> {
    const behind = await back.call("GET", `/v2/gn/pix/enviados/id-envio/${externalId}`);
    return behind.status < 300 ? behind.body : null;
  }

  function transferOf({ bankId, ...asked }: Given, sent: Shown) {
    const at = sent.horario?.liquidacao ?? sent.horario?.solicitacao;
    const times = { created: sent.horario?.solicitacao ?? at, updated: at };
    const taxId = sent.status === "REALIZADO" ? "***.982.247-**" : asked.taxId;
    return {
      ...asked,
      ...times,
      taxId,
      id: bankId,
      status: STATUS[sent.status] ?? sent.status,
      fee: 0,
      transactionIds: [],
    };
  }

  async function create({ body }: Heard, back: Back): Promise<Answer> {
    const [asked] = body.transfers;
    const { externalId, amount, accountNumber, taxId, tags } = asked;
    const known = given.get(externalId);
    const bankId = known?.bankId ?? String(5_000_000_000_000_000 + given.size);
    const kept = { ...asked, bankId, tags: (tags ?? []).map((tag: string) => tag.toLowerCase()) };
    if (known === undefined) given.set(externalId, kept);
    const chave = Buffer.from(accountNumber, "base64url").toString();
    const favorecido = { chave, [taxId.length === 11 ? "cpf" : "cnpj"]: taxId };
    const wanted = { valor: valorOf(amount), pagador: { chave: back.credentials.pixKey }, favorecido };
    const behind = await back.call("PUT", `/v3/gn/pix/${externalId}`, wanted);
    if (behind.status < 300)
      return yes({ message: "Transfer(s) successfully created", transfers: [transferOf(kept, behind.body)] });
    if (known === undefined) given.delete(externalId);
    if (behind.status === 409) return no("invalidExternalId", "There is a transfer with this externalId already");
    if (behind.status === 422) return no("insufficientFunds", "Insufficient funds");
    return no("invalidTransfer", wordsOf(behind));
  }

  async function listTransfers({ query }: Heard, back: Back): Promise<Answer> {
    const tag = query.get("tags") ?? "";
    const asked = [...given.values()].filter(({ tags }) => tags.includes(tag));
    const ids = asked.length > 0 ? asked.map(({ externalId }) => externalId) : [tag.replace(/^pixgate-/, "")];
    const transfers = [];
    for (const id of ids) {
      const sent = await sentOf(id, back);
      const of = given.get(id);
      if (sent !== null && of !== undefined) transfers.push(transferOf(of, sent));
    }
    return yes({ cursor: "", transfers });
  }

  async function oneTransfer({ ids }: Heard, back: Back): Promise<Answer> {
    const of = [...given.values()].find(({ bankId }) => bankId === ids[0]);
    const sent = of && (await sentOf(of.externalId, back));
    return of && sent ? yes({ transfer: transferOf(of, sent) }) : no("invalidTransfer", "Transfer not found");
  }

  async function listLogs({ query }: Heard, back: Back): Promise<Answer> {
    const of = [...given.values()].find(({ bankId }) => bankId === query.get("transferIds"));
    const sent = of && (await sentOf(of.externalId, back));
    if (!of || sent?.status !== "NAO_REALIZADO") return yes({ cursor: "", logs: [] });
    return yes({ cursor: "", logs: [logOf(of, sent)] });
  }

  function logOf(of: Given, sent: Shown) {
    const { erro } = sent.gnExtras ?? {};
    const isPoor = /saldo/i.test(`${erro?.codigo} ${erro?.motivo}`);
    const errors = erro ? [isPoor ? "invalidbalance" : `${erro.codigo}: ${erro.motivo}`] : [];
    const transfer = transferOf(of, sent);
    return { id: "5648419829841920", created: transfer.updated, type: transfer.status, errors, transfer };
  }

  async function balance(_heard: Heard, back: Back): Promise<Answer> {
    const { status, body } = await back.call("GET", "/v2/gn/saldo?bloqueios=true");
    if (status >= 300) return no("invalidRequest");
    return yes({ balances: [{ id: "5", amount: centavosIn(body.saldo), currency: "BRL", updated: new Date() }] });
  }

  async function createWebhook({ body: { url, subscriptions } }: Heard, back: Back): Promise<Answer> {
    const path = `/v2/webhook/${back.credentials.pixKey}`;
    if ((await back.call("PUT", path, { webhookUrl: url })).status >= 300) return no("invalidUrl");
    await back.call("PUT", path, { webhookUrl: back.callbackUrl });
    const made = { id: String(6_000_000_000_000_000 + webhooks.length), url, subscriptions };
    webhooks.unshift(made);
    return yes({ webhook: made });
  }

  function removeWebhook({ ids }: Heard): Answer {
    const at = webhooks.findIndex(({ id }) => id === ids[0]);
    if (at < 0) return no("invalidWebhook");
    return yes({ webhook: webhooks.splice(at, 1)[0] });
  }

  const bridge = await startBridge(simulated, {
    refuses,
    routes: [
      ["GET", /^\/v2\/dict-key\/([^/]+)$/, dictKey],
      ["POST", /^\/v2\/transfer$/, create],
      ["GET", /^\/v2\/transfer$/, listTransfers],
      ["GET", /^\/v2\/transfer\/log$/, listLogs],
      ["GET", /^\/v2\/transfer\/(\d+)$/, oneTransfer],
      ["GET", /^\/v2\/balance$/, balance],
      ["POST", /^\/v2\/webhook$/, createWebhook],
      ["GET", /^\/v2\/webhook$/, () => yes({ cursor: "", webhooks })],
      ["DELETE", /^\/v2\/webhook\/([^/]+)$/, removeWebhook],
      ["GET", /^\/v2\/public-key$/, () => yes({ cursor: "", publicKeys: [{ content: pemOf(bankKeys.publicKey) }] })],
    ],
    async notified(body, back) {
      for (const pix of body?.pix ?? []) {
        const of = given.get(pix.gnExtras?.idEnvio);
        // What a receiver gave back is no event of the transfer.
        if (of === undefined || (pix.devolucoes ?? []).length > 0) continue;
        const log = logOf(of, { ...pix, horario: { liquidacao: pix.horario } });
        const event = { id: "6234355449987072", subscription: "transfer", created: log.created, log };
        const raw = JSON.stringify({ event: { ...event, isDelivered: false, workspaceId: "4545454545454545" } });
        const signature = sign("sha256", Buffer.from(raw), bankKeys.privateKey).toString("base64");
        for (const { url } of webhooks) await back.post(url, raw, { "digital-signature": signature });
      }
    },
  });
  const starkKey = own.privateKey.export({ type: "sec1", format: "pem" }).toString();
  return { settings: { starkUrl: bridge.url, starkId: PROJECT, starkKey }, close: bridge.close };
}

const wordsOf = ({ body }: Behind): string =>
  body?.mensagem ?? body?.violacoes?.[0]?.razao ?? body?.detail ?? body?.title ?? "Invalid transfer";
