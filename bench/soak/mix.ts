import { expect, type Gateway, type Http, makeMerchant, openHttp } from "../harness/gateway.ts";
import type { Sink } from "../harness/sink.ts";
import type { Stage } from "../harness/stage.ts";

/** What a merchant asks for; `share` of all calls. Payments bring webhooks, and withdrawals and refunds their own ends. */
type Kind = { readonly name: string; readonly share: number; call(): Promise<number> };
type Mix = {
  readonly kinds: readonly Kind[];
  /** A token lasts 300 s. */
  renew(): Promise<void>;
};

const CHARGE = { amount: 25.9, description: "Order 1042", externalReference: "order-1042" };
const WITHDRAWAL = {
  amount: 2,
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "12345678909",
  holderDocumentType: "cpf",
};
/** Charges that wait to be paid, and payments that may be refunded: more are forgotten. */
const KEPT = 10_000;

/** A merchant at the simulator with money and a receiver of webhooks, who does everything. */
export async function openMix(stage: Stage, gateway: Gateway, sink: Sink): Promise<Mix> {
  const http = openHttp(gateway.sandbox.baseUrl, { connections: 256 });
  stage.after(() => http.close());
  const control = openHttp(gateway.sandbox.simulatorUrl, { connections: 1 }).as(gateway.sandbox.simulatorToken);
  stage.after(() => control.close());
  await expect(200, control.call("PATCH", "/control/behaviour", { openingBalanceCentavos: 900_000_000_000 }));
  const { accountId, login } = await makeMerchant(gateway, null);
  const float = { amount: 5_000_000, balance: "available", reason: "to withdraw" };
  await expect(201, gateway.operator.call("POST", `/accounts/${accountId}/adjustments`, float));
  let merchant: Http = http.as(await login(gateway));
  await expect(201, merchant.call("POST", "/webhook-endpoints", { url: sink.url }));

  const [unpaid, paid]: [string[], string[]] = [[], []];
  let [reads, last] = [0, ""];
  const keep = (list: string[], id: string) => {
    list.push(id);
    if (list.length > KEPT) list.shift();
  };
  const charge = async () => {
    const { status, body } = await merchant.call("POST", "/pix", CHARGE);
    if (status === 201) {
      last = String(body.id);
      keep(unpaid, last);
    }
    return status;
  };
  const kinds: Kind[] = [
    { name: "charge", share: 0.4, call: charge },
    {
      name: "payment",
      share: 0.25,
      async call() {
        const id = unpaid.shift();
        if (id === undefined) return charge();
        const status = await merchant.status("POST", `/sandbox/pix/${id}/pay`, "{}");
        if (status === 200) keep(paid, id);
        return status;
      },
    },
    {
      name: "withdrawal",
      share: 0.08,
      call: () => merchant.status("POST", "/withdrawals", JSON.stringify(WITHDRAWAL)),
    },
    {
      name: "refund",
      share: 0.03,
      call: () => {
        const id = paid.shift();
        return id === undefined ? charge() : merchant.status("POST", `/transactions/${id}/refund`, "{}");
      },
    },
    {
      name: "read",
      share: 0.24,
      call: () => {
        reads += 1;
        const path = ["/account", "/transactions?limit=20", `/transactions/${last}`][reads % 3]!;
        return merchant.status("GET", path);
      },
    },
  ];
  await charge();
  return {
    kinds,
    async renew() {
      merchant = http.as(await login(gateway));
    },
  };
}
