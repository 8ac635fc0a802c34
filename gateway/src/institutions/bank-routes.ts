import { type Static, type TSchema, Type } from "typebox";
import { component, OPEN, ref } from "../http/contract.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { toBrl } from "../lib/money.ts";
import type { Bank } from "../psp/bank.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { BANKS } from "../psp/catalogue.ts";
import { GUARD } from "./config.ts";

const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Enum([...values], { ...OPEN, type: "string", description });
const orNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const BankPayouts = component(
  "BankPayouts",
  Type.Object(
    {
      to: Type.Array(oneOf(["key", "account", "qr_code"], "A kind of receiver."), {
        description: "What a payout may be sent to.",
      }),
      holderChecked: Type.Boolean({
        description: "Whether it refuses to pay a key whose owner is another than the withdrawal's holder.",
      }),
      foundBy: oneOf(["our_id", "bank_id"], "By which id a payout is found whose answer was lost."),
      repeat: oneOf(
        ["our_id", "list_first"],
        "What makes a repeat safe. `our_id`: the same id never pays twice. `list_first`: its list is searched first.",
      ),
      remembered: oneOf(["for_ever", "unknown"], "For how long it knows a repeat."),
      approvedAtBank: Type.Boolean({ description: "Whether a person may have to approve payouts at the bank." }),
    },
    { description: "How a bank pays out." },
  ),
);
const BankCapabilities = component(
  "BankCapabilities",
  Type.Object(
    {
      charges: Type.Array(
        oneOf(["immediate", "due"], "`immediate`: `cob` of API Pix. `due`: `cobv`, with a due date."),
        {
          description: "Kinds of charges that it issues.",
        },
      ),
      receivedList: oneOf(
        ["all", "charges_only"],
        "What its list of received Pix contains. `charges_only`: a plain transfer to the key is left out.",
      ),
      staticCodes: Type.Boolean({
        description:
          "Whether it shows each Pix of a static code with the code's txid: without it no code that stays is made.",
      }),
      payers: oneOf(
        ["in_notifications", "varies", "never"],
        "Where it names the payer. `varies`: the standard leaves the payer out, and some banks add it.",
      ),
      returns: oneOf(["whole", "parts"], "`parts`: a received Pix goes back in several returns, up to its amount."),
      tariffs: Type.Boolean({ description: "Whether it reports what it charges for a Pix." }),
      balance: Type.Boolean({ description: "Whether it reports its balance." }),
      infractions: Type.Boolean({ description: "Whether it lists MED cases and takes a defence." }),
      payouts: orNull(ref(BankPayouts), "How it pays out; null: it only receives."),
      maxAmount: orNull(Type.Number(), "Most of one Pix, BRL; null: no limit is known."),
      sandboxPayment: oneOf(
        ["by_command", "by_itself", "none"],
        "How a charge of its sandbox is paid. `by_command`: by `/v2/sandbox`. `by_itself`: the bank pays small ones.",
      ),
    },
    { description: "What a bank can do through its adapter here; it may offer more." },
  ),
);
const able = {
  capabilities: ref(BankCapabilities),
  unverified: Type.Array(Type.String(), {
    description: "What nobody has confirmed, beside everything that only the live bank can show.",
  }),
};
const Profile = component(
  "BankProfile",
  Type.Object(
    {
      profile: Type.String({ description: "Value of `config.profile`." }),
      name: Type.String({ description: "Its name for people." }),
      sandbox: Type.Boolean({ description: "Whether `profile` with `-sandbox` is the bank's sandbox." }),
      ...able,
    },
    { description: "A bank whose addresses and habits are known, so that `config` need not say them." },
  ),
);
const Entry = component(
  "Bank",
  Type.Object(
    {
      id: Type.String({ description: "Value of an institution's `provider`." }),
      name: Type.String({ description: "Its name for people." }),
      summary: Type.String({ description: "What it is and what it can do." }),
      simulated: Type.Boolean({ description: "It moves no real money, so production refuses it." }),
      ...able,
      settings: Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description:
          "JSON Schema of what an institution's `config` takes. A field with `writeOnly` is sealed and never shown.",
      }),
      profiles: Type.Array(ref(Profile), {
        description: "Banks that it knows by name, each with what is known of it; empty: it is one bank.",
      }),
    },
    { description: "A bank or PSP for which this version has an adapter." },
  ),
);
const BankList = component(
  "BankList",
  Type.Object(
    { items: Type.Array(ref(Entry), { description: "All of them." }) },
    { description: "The banks that an institution may be of." },
  ),
);

function shown({ unverified, maxAmount, charges, payouts, ...can }: Capabilities) {
  const capabilities: Static<typeof BankCapabilities> = {
    ...can,
    charges: [...charges],
    payouts: payouts && { ...payouts, to: [...payouts.to] },
    maxAmount: maxAmount === null ? null : toBrl(maxAmount),
  };
  return { capabilities, unverified: [...unverified] };
}

function toEntry(bank: Bank): Static<typeof Entry> {
  const { id, name, summary, simulated, settings, profiles = [] } = bank;
  return {
    ...{ id, name, summary, simulated },
    ...shown(bank.capabilities({})),
    settings: { ...settings, properties: { ...settings.properties, ...GUARD } },
    profiles: profiles.map((known) => ({ ...known, ...shown(bank.capabilities({ profile: known.profile })) })),
  };
}

/** `/banks`: what an institution may be. */
export function bankRoutes(route: OperatorRoutes): void {
  const answer = { items: BANKS.map(toEntry) };
  route({
    method: "GET",
    path: "/banks",
    operationId: "banks.list",
    summary: "List the banks that have an adapter",
    description: "What each can do, what its institutions take in `config`, and what nobody has confirmed.",
    role: "support",
    work: "none",
    status: 200,
    answer: ref(BankList),
    handle: () => Promise.resolve(answer),
  });
}
