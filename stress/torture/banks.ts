/**
 * Further institutions, each of another dialect: accounts of the crowd sell there and take money out, and they also report Pix
 * that the first institution has received. One of them may die for good.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import { type Certificates, makeCertificates } from "../../gateway/test/harness/certificates.ts";
import { Client } from "../../gateway/test/harness/client.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { startTcpProxy } from "../../gateway/test/harness/tcp-proxy.ts";
import { bridgeWoovi } from "../../gateway/test/psp/bridges/woovi.ts";
import { startSimulatorProcess } from "../harness/simulator-process.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import { EVERY_FAULT } from "./faults.ts";
import { untilDecided } from "./second-human.ts";

/** A line of the simulator's log. */
export type PspEntry = { readonly type: string; readonly [field: string]: unknown };

/** The dialects of further institutions. Santander pays out in two steps; Woovi has an API of its own, which a bridge speaks. */
export const DIALECTS = ["api-pix", "efi", "santander", "woovi"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** A further institution. */
export type OtherBank = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly institutionId: string;
  readonly control: Client;
  /** Whether it reports its balance and lists MED cases. */
  readonly isWhole: boolean;
  /** Whether it has static codes, tills and due dates, and whether it pays out. */
  readonly sellsAll: boolean;
  readonly paysOut: boolean;
  /** When it died, as `Date.now()`; null: it lives. */
  diedAt(): number | null;
  /** From now on nobody reaches it, and it reaches nobody; what it has under way ends. */
  die(): Promise<void>;
  readLog(): PspEntry[];
};

const ABLE: Readonly<Record<Dialect, Pick<OtherBank, "isWhole" | "sellsAll" | "paysOut">>> = {
  "api-pix": { isWhole: false, sellsAll: true, paysOut: false },
  efi: { isWhole: true, sellsAll: true, paysOut: true },
  santander: { isWhole: false, sellsAll: true, paysOut: true },
  woovi: { isWhole: true, sellsAll: false, paysOut: true },
};

type Cleanup = (() => Promise<unknown> | unknown)[];
type Credentials = { clientId: string; clientSecret: string; controlToken: string; pixKey: string };

/**
 * The further institutions show each Pix with its charge and take no tariffs, so that their logs explain everything.
 */
const habits = (seed: number): Record<string, unknown> => {
  const { tariffs: _, ...all } = EVERY_FAULT(seed);
  return { ...all, txidIn: ["list", "read", "charge", "callback"], openingBalanceCentavos: 0 };
};

/** Starts and adds the further institutions, linked to no account and without faults yet. */
export async function startOtherBanks(
  scene: Scene,
  folder: string,
  cleanup: Cleanup,
  dialects: readonly Dialect[],
): Promise<OtherBank[]> {
  const certificates = makeCertificates(400);
  if (certificates === null) throw new Error("Efí's side of a torture needs openssl");
  cleanup.push(() => certificates.remove());
  const desk = createDesk(scene, "banks", "operator");
  const banks: OtherBank[] = [];
  for (const dialect of dialects) {
    const name = `bank ${dialect}`;
    const { url, args, dispatcher } = await placeOf(dialect, certificates);
    const at = join(folder, dialect);
    const simulator = await startSimulatorProcess(at, Number(new URL(url).port), args);
    cleanup.push(() => simulator.stop());
    const credentials = JSON.parse(readFileSync(join(at, "credentials.json"), "utf8")) as Credentials;
    const control = new Client(`${url}/control`, dispatcher).withToken(credentials.controlToken);
    // A bridge has one token for the whole run.
    const calm = await control.patch("/behaviour", { openingBalanceCentavos: 0, tokenExpiresIn: 86_400 });
    if (calm.status !== 200) throw new Error(`${name} refused its behaviour: ${calm.text}`);
    let died: number | null = null;
    const bridge = dialect === "woovi" ? await bridgeWoovi({ url, credentials }) : null;
    const behind = new URL(bridge === null ? url : String(bridge.settings.wooviUrl));
    const wire = await startTcpProxy(() => (died === null ? Number(behind.port) : null));
    cleanup.push(() => wire.close());
    let closing: Promise<void> | undefined;
    const closeBridge = () => {
      closing ??= bridge?.close();
      return closing;
    };
    cleanup.push(() => closeBridge());
    const front = `${behind.protocol}//127.0.0.1:${wire.port}`;
    const config =
      bridge === null ? ownOf(dialect, front, credentials, certificates) : { ...bridge.settings, wooviUrl: front };
    const body = { name, provider: dialect, environment: "sandbox", priority: 300, config };
    const institutionId = await add(desk, body);
    await link(desk, scene.sandbox.accountId, institutionId, false);
    // Registers the address of notifications; the others are polled.
    if (bridge !== null) await desk.insist((client) => client.post(`/institutions/${institutionId}/test`));
    banks.push({
      ...{ name, dialect, institutionId, control, ...ABLE[dialect] },
      diedAt: () => died,
      async die() {
        died = Date.now();
        wire.cut();
        await closeBridge();
      },
      readLog: () => readEntries(join(at, "log.ndjson")),
    });
  }
  return banks;
}

export const readEntries = (path: string): PspEntry[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PspEntry);

async function placeOf(dialect: Dialect, { path, read }: Certificates) {
  const port = await freePort();
  if (dialect !== "efi") return { url: `http://127.0.0.1:${port}`, args: [], dispatcher: undefined };
  const args = ["--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")];
  const [ca, cert, key] = [read("ca.pem"), read("client.pem"), read("client.key")];
  return {
    url: `https://127.0.0.1:${port}`,
    args: ["--dialect", "efi", ...args],
    dispatcher: new Agent({ connect: { ca, cert, key } }),
  };
}

/** The settings of an institution that speaks API Pix. */
function ownOf(
  dialect: Dialect,
  url: string,
  { clientId, clientSecret, pixKey }: Credentials,
  { read }: Certificates,
): Record<string, unknown> {
  const tokenUrl = `${url}/oauth/token`;
  const [ca, certificate, privateKey] = ["ca.pem", "client.pem", "client.key"].map((name) => read(name).toString());
  const own = {
    ...(dialect === "efi" && { ca, certificate, privateKey }),
    ...(dialect === "santander" && {
      ...{ workspaceId: "w1", paymentsUrl: url, paymentsTokenUrl: tokenUrl },
      pathOverrides: { patchCob: "/v2/cob/{1}", patchCobv: "/v2/cobv/{1}" },
    }),
  };
  return { baseUrl: `${url}/v2`, tokenUrl, clientId, clientSecret, pixKey, ...own };
}

/** Finds an institution of this name: the answer to its creation may have been lost. */
async function add(desk: Desk, body: { readonly name: string } & Record<string, unknown>): Promise<string> {
  type Listed = { id: string; name: string };
  const {
    status,
    text,
    body: made,
  } = await desk.insist<Listed>(async (client) => {
    const list = await client.get<{ items: Listed[] }>("/institutions");
    const known = list.status === 200 && list.body.items.find(({ name }) => name === body.name);
    return known ? { ...list, status: 201, body: known } : client.post<Listed>("/institutions", body);
  });
  if (status !== 201) throw new Error(`institution ${body.name} was answered ${status}: ${text}`);
  return made.id;
}

/** Enables or disables an institution for an account. */
async function link(desk: Desk, accountId: string, institutionId: string, enabled: boolean): Promise<void> {
  const { status, text } = await untilDecided(desk, 200, (client) =>
    client.send("PUT", `/accounts/${accountId}/institutions/${institutionId}`, JSON.stringify({ enabled })),
  );
  if (status !== 200) throw new Error(`the link of ${accountId} was answered ${status}: ${text}`);
}

/** Makes an institution the only one of an account. */
export async function useOnly(
  desk: Desk,
  accountId: string,
  own: string,
  all: readonly { readonly institutionId: string }[],
): Promise<void> {
  for (const { institutionId } of all) await link(desk, accountId, institutionId, institutionId === own);
}

/** Turns on the faults of the further institutions, with a seed for each. */
export async function unleash(banks: readonly OtherBank[], seed: number): Promise<void> {
  for (const [i, { name, control }] of banks.entries()) {
    const set = await control.patch("/behaviour", habits(seed + i + 1));
    if (set.status !== 200) throw new Error(`${name} refused its behaviour: ${set.text}`);
  }
}

/** Turns the faults off. */
export async function calm(banks: readonly OtherBank[]): Promise<void> {
  for (const { control } of banks) {
    await control.patch("/behaviour", { faults: { seed: 1, rules: [] }, readLagMs: 0, returnDelayMs: 0 });
  }
}

/** The balance that the institution reports. Centavos. */
export async function fundsOf(control: Client): Promise<number> {
  type State = { books: { balanceCentavos: number; openingBalanceCentavos: number } };
  const { books } = (await control.get<State>("/state")).body;
  return books.openingBalanceCentavos + books.balanceCentavos;
}
