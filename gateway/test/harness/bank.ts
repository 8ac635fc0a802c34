/**
 * The bank that the tests' merchants are at. `PIXGATE_TEST_PSP` has the same tests run with another adapter, against the
 * simulator playing that bank (`npm run test:efi`, `npm run test:api-pix`).
 */
import type { Dispatcher } from "undici";
import type { InstitutionConfig } from "../../src/institutions/config.ts";
import type { SandboxBank } from "../../src/sandbox/simulator.ts";
import { certificatesIn } from "./certificates.ts";

const BANKS = ["simulator", "efi", "api-pix"] as const;
/** As `pspProvider` names it. */
type Bank = (typeof BANKS)[number];

export const BANK: Bank = readBank(process.env.PIXGATE_TEST_PSP || "simulator");

function readBank(name: string): Bank {
  const bank = BANKS.find((known) => known === name);
  if (bank === undefined) throw new Error(`PIXGATE_TEST_PSP must be one of ${BANKS.join(", ")}, not "${name}"`);
  return bank;
}

/** What the bank calls a return that it refuses. */
export const RETURN_REFUSED = BANK === "efi" ? "valor_invalido" : "PixDevolucaoInvalida";

/** The receiver's name that the bank reports of a payout to Maria; Efí reports none. */
export const PAID_TO: { readonly counterpartName?: string } = BANK === "efi" ? {} : { counterpartName: "Maria Silva" };

/** For what a bank does not have: `test(name, notAt("api-pix", "it has no payouts"), …)`. */
export const notAt = (bank: Bank, reason: string): { skip?: string } =>
  BANK === bank ? { skip: `${bank}: ${reason}` } : {};

/** How the sandbox meets its simulator, as the bank of this run. */
export function sandboxBank(): SandboxBank | undefined {
  switch (BANK) {
    case "simulator":
      return undefined;
    case "api-pix":
      return { provider: "api-pix", args: [], config: {} };
    case "efi": {
      const { args, config } = overMtls();
      return { provider: "efi", args: ["--dialect", "efi", ...args], config };
    }
  }
}

/** The certificates that the global setup has made. */
const certificates = () => certificatesIn(process.env.PIXGATE_TEST_CERTIFICATES ?? "");

function overMtls(): { args: readonly string[]; config: Partial<InstitutionConfig> } {
  const { path, read } = certificates();
  const args = ["--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")];
  const config = {
    ca: read("ca.pem").toString(),
    certificate: read("client.pem").toString(),
    privateKey: read("client.key").toString(),
  };
  return { args, config };
}

/** The control API asks for a client certificate too; undefined where it asks for none. */
export async function controlDispatcher(): Promise<Dispatcher | undefined> {
  if (BANK !== "efi") return undefined;
  // Loaded where it is needed: 80 files, 0.1 s of CPU of each test process.
  const { Agent } = await import("undici");
  const { read } = certificates();
  return new Agent({ connect: { ca: read("ca.pem"), cert: read("client.pem"), key: read("client.key") } });
}
