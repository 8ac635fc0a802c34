/** Every way in which an adapter meets a bank: what the contract of `psp/psp.ts` is held against. */
import type { Bank } from "../../src/psp/bank.ts";
import type { Capabilities } from "../../src/psp/capabilities.ts";
import type { Certificates } from "../harness/certificates.ts";
import type { Front, Simulated } from "../harness/simulator-psp.ts";

/** How the simulator speaks: the standard, Efí's habits, or Inter's with its API Banking. */
type Dialect = "bcb" | "efi" | "inter";

/** Every scope of Inter's that the adapter uses. */
const INTER_SCOPE =
  "cob.read cob.write cobv.read cobv.write pix.read pix.write webhook.read webhook.write extrato.read pagamento-pix.write pagamento-pix.read webhook-banking.write webhook-banking.read";

/** What the operator says of a bank of a dialect. */
const KNOWN = {
  bcb: {},
  efi: { profile: "efi" },
  inter: { profile: "inter", scope: INTER_SCOPE },
} as const;

/** What the operator says of a meeting's bank. */
const knownOf = ({ bank, dialect }: Pick<Meeting, "bank" | "dialect">): Readonly<Record<string, unknown>> => ({
  ...KNOWN[dialect],
  ...bank.paysWith,
});

/** What a meeting's bank can do. */
export const capabilitiesOf = (meeting: Pick<Meeting, "bank" | "dialect">): Capabilities =>
  meeting.bank.capabilities(knownOf(meeting));

/** An adapter, at the simulator of a dialect, with or without a client certificate. */
export type Meeting = {
  readonly bank: Bank;
  readonly dialect: Dialect;
  readonly tls: "none" | "pem" | "p12";
  /** Of a bank with an API of its own: the bridge between that API and the simulator (bridges/bridge.ts). */
  readonly bridge?: (simulated: Simulated) => Promise<Front>;
  /** Where such a bank shows less or other things than the dialect behind its bridge. */
  readonly habits?: Partial<Habits>;
};

/** What a bank shows, and where. */
type Habits = {
  /** Of a Pix: its payer, in the query and the list. */
  readonly payers: boolean;
  /** Of a Pix: its payer, in the notification. */
  readonly notifiedPayers: boolean;
  /** Of a return of its own (MED): that it is one. */
  readonly natures: boolean;
  /** Of a return of ours: that it is not the bank's own. */
  readonly ownNatures: boolean;
  /** Of a return that failed: why. */
  readonly returnReasons: boolean;
  /** A charge is issued on a key, which the bank refuses where it is another's. */
  readonly keys: boolean;
  /** The notification of a return has our id of it. */
  readonly notifiedReturnIds: boolean;
  /** Our id and description of a return reach the bank. */
  readonly namedReturns: boolean;
  /** A notification has the txid of its charge. */
  readonly notifiedTxids: boolean;
  /** The shortest life of a charge there, seconds. */
  readonly shortestLife: number;
  /** A repeat of a charge is answered with the charge, and not with a conflict. */
  readonly repeats: boolean;
  /** Of a payout: its receiver, in the query. */
  readonly receivers: boolean;
  /** Of a payout: its end-to-end id. */
  readonly payoutIds: boolean;
  /** Of a payout: what of it its receiver gave back. */
  readonly givenBack: boolean;
  /** Of a MED case: its protocol, its deadline, that it is defended, and what the analyst wrote. */
  readonly caseDetails: boolean;
};

/** What a meeting's bank shows. */
export function habitsOf({ bank, dialect, habits }: Meeting): Habits {
  const isEfi = dialect === "efi";
  const sends = bank.capabilities(knownOf({ bank, dialect })).payouts !== null;
  return {
    payers: dialect === "bcb",
    // Efí names payers after it was set to (`configureNotifications`), which only its own adapter does.
    notifiedPayers: dialect === "bcb" || (isEfi && sends),
    natures: !isEfi,
    ownNatures: !isEfi,
    ...{
      keys: true,
      notifiedReturnIds: true,
      notifiedTxids: true,
      namedReturns: true,
      caseDetails: true,
      returnReasons: true,
      payoutIds: true,
      givenBack: true,
    },
    shortestLife: 1,
    repeats: !isEfi,
    receivers: !isEfi,
    ...habits,
  };
}

export const nameOf = ({ bank, dialect, tls, bridge }: Meeting): string =>
  `${bank.id}, ${bridge ? "its own API" : dialect}, ${tls === "none" ? "plain" : `mTLS by ${tls}`}`;

/** Arguments of the simulator, and settings of the institution. */
export function meet(
  meeting: Meeting,
  made: Certificates | null,
): { args: string[]; settings: Readonly<Record<string, unknown>> } {
  const { dialect, tls } = meeting;
  const args = ["--dialect", dialect];
  const known = knownOf(meeting);
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
