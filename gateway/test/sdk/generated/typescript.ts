/**
 * What makes a client in TypeScript of a document, and a program that charges, is paid and reads with the merchants' one. The
 * programs are text: what they import is there once a generator has run.
 */

/** How the programs begin and end: where the gateway is, and what they have read. */
const BEGIN = `
declare const process: { readonly env: unknown; readonly stdout: { write(text: string): void } };
const { PIXGATE_URL: baseUrl, PIXGATE_CLIENT_ID: client_id, PIXGATE_CLIENT_SECRET: client_secret } = process.env as Record<string, string>;
const credentials = { client_id, client_secret };
const order = { amount: 25.9, description: "Order 1042" };
const print = (read: { id: string; status: string; amount: number }) =>
  process.stdout.write([read.id, read.status, read.amount].join(" "));
`;

type Generator = {
  readonly packages: readonly string[];
  /** The command that writes a document's client, and what it writes. */
  readonly generate: (document: string, name: string) => readonly [string, ...string[]];
  readonly entry: (name: string) => string;
  /** The program, after `BEGIN`; `CLIENT` is the merchants' client. */
  readonly story: string;
};

export const programOf = ({ entry, story }: Generator): string =>
  `${story.replaceAll("CLIENT", `./${entry("merchant")}`).replace("BEGIN", BEGIN)}\nmain();\n`;

export const GENERATORS: Readonly<Record<string, Generator>> = {
  "openapi-typescript 7.13.0 with openapi-fetch 0.17.0": {
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    // Without the flag a field that has a default must be in every body, which is this generator's own reading.
    generate: (document, name) => [
      ...(["openapi-typescript", document, "--default-non-nullable=false"] as const),
      ...["--output", `fetch-${name}.ts`],
    ],
    entry: (name) => `fetch-${name}`,
    story: `import createClient from "openapi-fetch";
import type { paths } from "CLIENT";
BEGIN
async function main() {
  const token = await createClient<paths>({ baseUrl }).POST("/v2/auth", { body: credentials });
  const headers = { authorization: "Bearer " + token.data!.access_token };
  const client = createClient<paths>({ baseUrl, headers });
  const charge = await client.POST("/v2/pix", { body: order });
  await client.POST("/v2/sandbox/pix/{id}/pay", { params: { path: { id: charge.data!.id } }, body: {} });
  const read = await client.GET("/v2/transactions/{id}", { params: { path: { id: charge.data!.id } } });
  print(read.data!);
}`,
  },
  "@hey-api/openapi-ts 0.99.0": {
    packages: ["@hey-api/openapi-ts@0.99.0"],
    generate: (document, name) => ["openapi-ts", "--input", document, "--output", `hey-${name}`],
    entry: (name) => `hey-${name}`,
    story: `import { authCreateToken, chargesCreate, sandboxPay, transactionsGet } from "CLIENT";
import { client } from "CLIENT/client.gen";
BEGIN
async function main() {
  client.setConfig({ baseUrl });
  const token = await authCreateToken({ body: credentials, throwOnError: true });
  client.setConfig({ auth: token.data.access_token });
  const charge = await chargesCreate({ body: order, throwOnError: true });
  await sandboxPay({ path: { id: charge.data.id }, body: {}, throwOnError: true });
  const read = await transactionsGet({ path: { id: charge.data.id }, throwOnError: true });
  print(read.data);
}`,
  },
  "orval 8.38.0": {
    packages: ["orval@8.38.0"],
    generate: (document, name) => ["orval", "--input", document, "--output", `./orval-${name}.ts`, "--client", "fetch"],
    entry: (name) => `orval-${name}`,
    story: `import { authCreateToken, chargesCreate, sandboxPay, transactionsGet } from "CLIENT";
BEGIN
// Its paths are relative, as in a browser.
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(baseUrl + path, init);
async function main() {
  const token = await authCreateToken(credentials);
  if (token.status !== 200) throw new Error(JSON.stringify(token.data));
  const headers = { authorization: "Bearer " + token.data.access_token };
  const charge = await chargesCreate(order, { headers });
  if (charge.status !== 201) throw new Error(JSON.stringify(charge.data));
  await sandboxPay(charge.data.id, {}, { headers });
  const read = await transactionsGet(charge.data.id, { headers });
  if (read.status !== 200) throw new Error(JSON.stringify(read.data));
  print(read.data);
}`,
  },
  "oazapfts 7.5.0": {
    packages: ["oazapfts@7.5.0", "@oazapfts/runtime@1.2.0"],
    generate: (document, name) => ["oazapfts", document, `oazapfts-${name}.ts`],
    entry: (name) => `oazapfts-${name}`,
    story: `import { authCreateToken, chargesCreate, defaults, sandboxPay, transactionsGet } from "CLIENT";
BEGIN
async function main() {
  defaults.baseUrl = baseUrl;
  const token = await authCreateToken(credentials);
  if (token.status !== 200) throw new Error(JSON.stringify(token.data));
  defaults.headers = { authorization: "Bearer " + token.data.access_token };
  const charge = await chargesCreate(order);
  if (charge.status !== 201) throw new Error(JSON.stringify(charge.data));
  await sandboxPay(charge.data.id, {});
  const read = await transactionsGet(charge.data.id);
  if (read.status !== 200) throw new Error(JSON.stringify(read.data));
  print(read.data);
}`,
  },
  "swagger-typescript-api 13.13.0": {
    packages: ["swagger-typescript-api@13.13.0"],
    generate: (document, name) => [
      ...(["swagger-typescript-api", "generate", "--path", document] as const),
      ...["--output", ".", "--name", `swagger-${name}.ts`],
    ],
    entry: (name) => `swagger-${name}`,
    story: `import { Api } from "CLIENT";
BEGIN
async function main() {
  const token = await new Api({ baseUrl }).v2.authCreateToken(credentials);
  const headers = { authorization: "Bearer " + token.data.access_token };
  const client = new Api({ baseUrl, baseApiParams: { headers } });
  const charge = await client.v2.chargesCreate(order);
  await client.v2.sandboxPay(charge.data.id, {});
  print((await client.v2.transactionsGet(charge.data.id)).data);
}`,
  },
};
