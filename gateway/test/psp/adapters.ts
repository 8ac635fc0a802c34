/** Every adapter, and every way in which it meets a bank: what the contract of `psp/psp.ts` is held against. */
import { createApiPix } from "../../src/psp/api-pix/api-pix.ts";
import type { ApiPixSettings } from "../../src/psp/api-pix/config.ts";
import { createEfi } from "../../src/psp/efi/efi.ts";
import { withControl } from "../../src/psp/simulator/control.ts";
import { createSimulatorPsp } from "../../src/psp/simulator/simulator.ts";
import type { Certificates } from "../harness/certificates.ts";
import type { CreatePsp } from "../harness/simulator-psp.ts";

export type Adapter = {
  readonly name: "api-pix" | "efi" | "simulator";
  readonly create: CreatePsp;
  /** Sends Pix, tells the balance and MED cases. */
  readonly sends: boolean;
};

export const ADAPTERS: readonly Adapter[] = [
  { name: "api-pix", create: (all, deps) => withControl(createApiPix(all, deps), all), sends: false },
  { name: "efi", create: (all, deps) => withControl(createEfi(all, deps), all), sends: true },
  { name: "simulator", create: createSimulatorPsp, sends: true },
];

type Dialect = "bcb" | "efi";

/** An adapter at a bank of a dialect. */
export type Meeting = {
  readonly name: string;
  readonly adapter: Adapter;
  readonly dialect: Dialect;
  readonly tls: "none" | "pem" | "p12";
};

const at = (adapter: Adapter, dialect: Dialect, tls: Meeting["tls"]): Meeting => ({
  name: `${adapter.name}, ${dialect}, ${tls === "none" ? "plain" : `mTLS by ${tls}`}`,
  ...{ adapter, dialect, tls },
});
const [apiPix, efi, simulator] = ADAPTERS as [Adapter, Adapter, Adapter];

/** Every adapter in both dialects; of each way of showing a certificate one. */
export const MEETINGS: readonly Meeting[] = [
  ...[at(apiPix, "bcb", "pem"), at(apiPix, "efi", "none")],
  ...[at(efi, "bcb", "none"), at(efi, "efi", "p12")],
  ...[at(simulator, "bcb", "none"), at(simulator, "efi", "none")],
];

/** Arguments of the simulator, and settings of the adapter. */
export function meet(
  { dialect, tls }: Meeting,
  made: Certificates | null,
): { args: string[]; settings: ApiPixSettings } {
  const args = ["--dialect", dialect];
  // What the operator says of such a bank.
  const known: ApiPixSettings = dialect === "efi" ? { profile: "efi" } : {};
  if (tls === "none" || made === null) return { args, settings: known };
  const { path, read } = made;
  const shown =
    tls === "pem"
      ? { cert: read("client.pem").toString(), key: read("client.key").toString() }
      : { pfx: read("client.p12").toString("base64"), passphrase: "" };
  return {
    args: [...args, "--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")],
    settings: { ...known, tls: { ca: read("ca.pem").toString(), ...shown } },
  };
}
