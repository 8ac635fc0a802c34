import type { Permission } from "../http/permissions.ts";

/** The results of a run of traffic so far. `refused`: calls that the API refused, or that failed. */
export type Done = {
  charges: number;
  payments: number;
  withdrawals: number;
  refunds: number;
  contests: number;
  endpoints: number;
  refused: number;
};

/** A merchant's integration, which calls the public API with its own credential. */
export type Shop = {
  /** @returns the answer's body; null where the call was refused. */
  call<T>(method: "GET" | "POST", path: string, body?: object): Promise<T | null>;
  may(permission: Permission): boolean;
  readonly done: Done;
  /** Address of this gateway that answers 404 to every delivery. */
  readonly failingUrl: string;
};

type Person = { readonly name: string; readonly document: string };
const CUSTOMERS: readonly Person[] = [
  { name: "Rosana Figueiredo", document: "12345678909" },
  { name: "Davi Moreira Lopes", document: "52998224725" },
  { name: "Helena Prado", document: "11144477735" },
  { name: "Mercearia Boa Vista Ltda", document: "11222333000181" },
];
const GOODS = [
  { description: "Cesta da semana", centavos: 8_990 },
  { description: "Pão de fermentação natural", centavos: 2_450 },
  { description: "Assinatura mensal", centavos: 12_900 },
  { description: "Café torrado, 1 kg", centavos: 7_800 },
  { description: "Oficina de massas", centavos: 24_000 },
] as const;
const FAILING_ENDPOINT = "Answers 404 to everything";

/** The acts of one payer, the `n`th of a run, counted from 1: a charge, usually its payment, and what may follow. */
export async function act(shop: Shop, n: number): Promise<void> {
  if (n === 1 && shop.may("WEBHOOK:WRITE")) await addFailingEndpoint(shop);
  const payer = CUSTOMERS[n % CUSTOMERS.length]!;
  const paid = await sell(shop, payer, n);
  if (paid === null) return;
  if (n % 10 === 3 && shop.may("REFUND:WRITE")) await refund(shop, paid.id);
  else if (n % 60 === 5 && shop.may("BALANCE_BLOCK:WRITE")) await contest(shop, paid.id);
  else if (n % 12 === 4 && shop.may("WITHDRAWAL:WRITE")) await withdraw(shop, paid.amount, n);
}

/** A charge; every seventh one stays unpaid. @returns the payment. */
async function sell(shop: Shop, payer: Person, n: number): Promise<{ id: string; amount: number } | null> {
  const { description, centavos } = GOODS[n % GOODS.length]!;
  const charge = await shop.call<{ id: string; amount: number }>("POST", "/v2/pix", {
    amount: (centavos + (n % 9) * 110) / 100,
    description,
    customer: payer,
  });
  if (charge === null) return null;
  shop.done.charges += 1;
  if (n % 7 === 0) return null;
  if ((await shop.call("POST", `/v2/sandbox/pix/${charge.id}/pay`, { payer })) === null) return null;
  shop.done.payments += 1;
  return charge;
}

async function refund(shop: Shop, id: string): Promise<void> {
  const made = await shop.call("POST", `/v2/transactions/${id}/refund`, { reason: "Produto devolvido" });
  if (made !== null) shop.done.refunds += 1;
}

async function contest(shop: Shop, transactionId: string): Promise<void> {
  const made = await shop.call("POST", "/v2/sandbox/balance-blocks", { transactionId, reason: "Golpe" });
  if (made !== null) shop.done.contests += 1;
}

/** Withdraws half of the payment; the bank refuses every third withdrawal, whose key it does not know. */
async function withdraw(shop: Shop, brl: number, n: number): Promise<void> {
  const { name, document } = CUSTOMERS[0]!;
  const fails = n % 36 === 28;
  const made = await shop.call("POST", "/v2/withdrawals", {
    amount: Math.round(brl * 50) / 100,
    ...(fails ? { pixKey: "fail@pixgate.test", pixKeyType: "email" } : { pixKey: document, pixKeyType: "cpf" }),
    ...{ holderName: name, holderDocument: document, holderDocumentType: "cpf" },
  });
  if (made !== null) shop.done.withdrawals += 1;
}

/** One endpoint whose deliveries all fail, shared by all runs. */
async function addFailingEndpoint(shop: Shop): Promise<void> {
  const listed = await shop.call<{ items: { url: string }[] }>("GET", "/v2/webhook-endpoints?limit=100");
  if (listed === null || listed.items.some(({ url }) => url === shop.failingUrl)) return;
  const made = await shop.call("POST", "/v2/webhook-endpoints", {
    url: shop.failingUrl,
    description: FAILING_ENDPOINT,
  });
  if (made !== null) shop.done.endpoints += 1;
}
