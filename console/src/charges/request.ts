import type { merchant } from "@pixgate/sdk";

/** The request that makes a charge like this one. */
function bodyOf({
  amount,
  chargedAmount,
  description,
  due,
  externalReference,
  metadata,
  projectId,
  split,
}: merchant.Transaction): object {
  return {
    amount: chargedAmount ?? amount,
    description: description ?? "",
    ...(due !== undefined && { due }),
    ...(externalReference !== undefined && { externalReference }),
    ...(projectId !== undefined && { projectId }),
    ...(metadata !== undefined && { metadata }),
    ...(split !== undefined && { split }),
  };
}

/** Text inside single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function requestAsCurl(charge: merchant.Transaction): string {
  return [
    `curl -s ${window.location.origin}/v2/pix \\`,
    `  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\`,
    `  -H "idempotency-key: $(uuidgen)" \\`,
    `  -d ${quoted(JSON.stringify(bodyOf(charge)))}`,
  ].join("\n");
}

export function requestAsTypeScript(charge: merchant.Transaction): string {
  return [
    'import { Pixgate } from "@pixgate/sdk";',
    "",
    "const pixgate = new Pixgate({",
    `  baseUrl: ${JSON.stringify(window.location.origin)},`,
    "  clientId: process.env.PIXGATE_CLIENT_ID,",
    "  clientSecret: process.env.PIXGATE_CLIENT_SECRET,",
    "});",
    `const charge = await pixgate.charges.create(${JSON.stringify(bodyOf(charge), null, 2)});`,
  ].join("\n");
}
