import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Check,
  check,
  isOneOf,
  isText,
  isTime,
  isUuid,
  must,
  mustAnswer,
  mustHave,
  mustRefuse,
  type Target,
} from "../check.ts";
import { ask, balanceOf, newSubAccount, paidCharge } from "../sandbox.ts";

async function accepts(target: Target, ...bodies: readonly object[]): Promise<void> {
  for (const body of bodies) mustAnswer(await ask(target, body), 201);
}
async function refuses(target: Target, ...bodies: readonly object[]): Promise<void> {
  for (const body of bodies) mustRefuse(await ask(target, body), 400);
}

export const CHARGES: readonly Check[] = [
  check("charges.created", "Success status codes: 201 for `POST /pix`.", async (target) =>
    mustAnswer(await ask(target), 201),
  ),
  check("charges.response", "id | string (uuid) | yes | charge ID, which is the transaction ID", async (target) => {
    const { body } = await ask(target, { externalReference: `conformance-${randomUUID()}` });
    mustHave(body, "id", "a UUID", isUuid);
    mustHave(body, "status", "a status", isOneOf("pending", "completed", "failed", "cancelled"));
    mustHave(body, "amount", "10.5", isOneOf(10.5));
    mustHave(body, "currency", "BRL", isOneOf("BRL"));
    mustHave(body, "pixCopyPaste", "a text", isText);
    mustHave(body, "expiresAt", "a date-time", isTime);
    mustHave(body, "createdAt", "a date-time", isTime);
  }),
  check(
    "charges.qr",
    "qrCodeBase64 | string | no | QR code as a data URI (`data:image/png;base64,...`)",
    async (target) => {
      const { qrCodeBase64 } = (await ask(target)).body;
      if (qrCodeBase64 === undefined) return;
      must(
        /^data:image\/png;base64,[A-Za-z0-9+/]+=*$/.test(String(qrCodeBase64)),
        "qrCodeBase64 is not a PNG as a data URI",
      );
    },
  ),
  check("charges.copy-paste", "pixCopyPaste | string | yes | PIX copy-and-paste code", async (target) => {
    const code = String((await ask(target)).body.pixCopyPaste);
    must(code.startsWith("000201") && /6304[0-9A-F]{4}$/.test(code), `${code} is not a BR Code`);
    const sum = crc16(code.slice(0, -4));
    must(code.endsWith(sum), `the code's checksum is ${code.slice(-4)}, not ${sum}`);
  }),
  check("charges.amount", "amount | number | yes | BRL, minimum 1", async (target) => {
    await accepts(target, { amount: 1 }, { amount: 19.99 }, { amount: 4.35 });
    await refuses(target, { amount: 0.99 }, { amount: 0 }, { amount: -1 }, { amount: undefined }, { amount: "10" });
  }),
  check("charges.description", "description | string | yes | max 255 chars", async (target) => {
    await accepts(target, { description: "x".repeat(255) });
    await refuses(target, { description: "x".repeat(256) }, { description: undefined }, { description: 7 });
  }),
  check("charges.customer", "document | string | payer CPF or CNPJ, digits only, max 20", async (target) => {
    await accepts(
      target,
      { customer: {} },
      { customer: { name: "Maria", document: "52998224725", email: "a@example.com", phone: "+55 11 9" } },
    );
    await refuses(target, { customer: { name: "x".repeat(256) } }, { customer: { document: "1".repeat(21) } });
    await refuses(target, { customer: { email: "not an address" } }, { customer: { phone: "1".repeat(21) } });
  }),
  check(
    "charges.expiry",
    "expiresIn | integer | no | seconds until expiry, 300 to 604800, default 86400",
    async (target) => {
      await refuses(target, { expiresIn: 299 }, { expiresIn: 604_801 }, { expiresIn: 300.5 });
      for (const [given, seconds] of [
        [300, 300],
        [604_800, 604_800],
        [undefined, 86_400],
      ]) {
        const { body } = await ask(target, { expiresIn: given });
        const lasts = (Date.parse(String(body.expiresAt)) - Date.parse(String(body.createdAt))) / 1_000;
        must(Math.abs(lasts - seconds!) <= 2, `a charge of ${given ?? "no"} expiresIn expires after ${lasts} s`);
      }
    },
  ),
  check("charges.reference", "externalReference | string | no | echoes the request", async (target) => {
    const externalReference = `${randomUUID()}${"x".repeat(219)}`;
    const { body } = await ask(target, { externalReference });
    must(body.externalReference === externalReference, "externalReference is not echoed");
    await refuses(target, { externalReference: "x".repeat(256) });
  }),
  check("charges.metadata", "metadata | object | no | free key-value pairs", async (target) => {
    const metadata = { text: "ção", number: 1.5, list: [1, null], inner: { a: true } };
    const { body } = await ask(target, { metadata });
    const read = await target.client.call("GET", `/transactions/${String(body.id)}`);
    must(
      isDeepStrictEqual(read.body.metadata, metadata),
      `metadata came back as ${JSON.stringify(read.body.metadata)}`,
    );
    await refuses(target, { metadata: "text" });
  }),
  check("charges.split.items", "At most 10 items. Amounts are fixed, in BRL.", (target) =>
    refuses(target, { split: Array.from({ length: 11 }, () => ({ subAccount: "principal", amount: 0.01 })) }),
  ),
  check(
    "charges.split.unknown",
    "subAccount | string | `reference` of an active sub-account of the same account, or the reserved word `principal` for the main account",
    async (target) => {
      const reply = await ask(target, { split: [{ subAccount: "no-such-wallet-here", amount: 1 }] });
      mustRefuse(reply, 404);
    },
  ),
  check(
    "charges.split.sum",
    "The sum of the split must not exceed the net amount (charge amount minus fee), not the gross amount.",
    async (target) => {
      const subAccount = await newSubAccount(target);
      await refuses(target, { amount: 10, split: [{ subAccount, amount: 10.01 }] });
      const before = await balanceOf(target, "total");
      await paidCharge(target, { amount: 10 });
      const net = (await balanceOf(target, "total")) - before;
      // In centavos: a split of the net amount fits, one centavo more does not.
      await accepts(target, { amount: 10, split: [{ subAccount, amount: net / 100 }] });
      await refuses(target, { amount: 10, split: [{ subAccount, amount: (net + 1) / 100 }] });
    },
  ),
  check("charges.split.accepted", "split | array of Split allocation | no | accepted split in BRL", async (target) => {
    const split = [{ subAccount: await newSubAccount(target), amount: 3.1 }];
    const { body } = await ask(target, { split });
    must(isDeepStrictEqual(body.split, split), `split is ${JSON.stringify(body.split)}`);
  }),
  check(
    "charges.split.absent",
    "The `split` key is present only when the charge was created with a split.",
    async (target) => {
      must(!("split" in (await ask(target)).body), "an answer without a split has the key");
    },
  ),
  check(
    "charges.institution",
    "present only when the request pinned an institution; it confirms the pin was honored",
    async (target) => {
      must(!("pspCredentialId" in (await ask(target)).body), "an answer without a pin has pspCredentialId");
    },
  ),
  check(
    "charges.project.inherited",
    "If omitted and the account has a single project, the charge inherits it. With several projects the charge is created without a project.",
    async (target) => {
      // A new wallet has no projects yet.
      const headers = { "x-sub-account": await newSubAccount(target) };
      const projectOf = async (changes: object = {}) => {
        const { body } = await ask(target, changes, headers);
        return (await target.client.call("GET", `/transactions/${String(body.id)}`, undefined, { headers })).body
          .projectId;
      };
      const create = async (name: string) =>
        (await target.client.call("POST", "/projects", { name, color: "#123456" }, { headers })).body.id;
      const first = await create("first");
      must((await projectOf()) === first, "the charge does not have the only project");
      const second = await create("second");
      must((await projectOf()) === undefined, "a charge without a project has one of two");
      must((await projectOf({ projectId: second })) === second, "the charge does not have the project it names");
    },
  ),
  check("charges.project", "Errors: 400, 401, 404, 500, and the header errors above.", async (target) => {
    mustRefuse(await ask(target, { projectId: randomUUID() }), 404);
    await refuses(target, { projectId: "not a UUID" });
  }),
];

/** CRC-16/CCITT-FALSE, as the BR Code has it. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
