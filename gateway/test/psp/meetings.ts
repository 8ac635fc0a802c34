/** Every way in which an adapter meets a bank: what the contract of `psp/psp.ts` is held against. */
import type { Bank } from "../../src/psp/bank.ts";
import type { Certificates } from "../harness/certificates.ts";

/** How the simulator speaks: the standard, or Efí's habits. */
type Dialect = "bcb" | "efi";

/** An adapter, at the simulator of a dialect, with or without a client certificate. */
export type Meeting = {
  readonly bank: Bank;
  readonly dialect: Dialect;
  readonly tls: "none" | "pem" | "p12";
};

export const nameOf = ({ bank, dialect, tls }: Meeting): string =>
  `${bank.id}, ${dialect}, ${tls === "none" ? "plain" : `mTLS by ${tls}`}`;

/** Arguments of the simulator, and settings of the institution. */
export function meet(
  { dialect, tls }: Meeting,
  made: Certificates | null,
): { args: string[]; settings: Readonly<Record<string, unknown>> } {
  const args = ["--dialect", dialect];
  // What the operator says of such a bank.
  const known = dialect === "efi" ? { profile: "efi" } : {};
  if (tls === "none" || made === null) return { args, settings: known };
  const { path, read } = made;
  const shown =
    tls === "pem"
      ? { certificate: read("client.pem").toString(), privateKey: read("client.key").toString() }
      : { p12: read("client.p12").toString("base64"), passphrase: "" };
  return {
    args: [...args, "--tls-cert", path("bank.pem"), "--tls-key", path("bank.key"), "--tls-client-ca", path("ca.pem")],
    settings: { ...known, ca: read("ca.pem").toString(), ...shown },
  };
}
