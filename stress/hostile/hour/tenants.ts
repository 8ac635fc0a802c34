import { Client } from "../../../gateway/test/harness/client.ts";
import { pause } from "../../../gateway/test/harness/eventually.ts";

/** A kind of work of an ordinary tenant. `settlement`: from a payer's payment until it is in the books. */
export type Act = "charge" | "settlement" | "read";
/** A call of an ordinary tenant: its begin (since the first call) and duration, milliseconds, and why it failed. */
export type Call = {
  readonly act: Act;
  readonly at: number;
  readonly elapsed: number;
  readonly failure: string | null;
};

/**
 * Of a tenant, milliseconds: the time between two sales, the longest wait for an answer, the longest use of a token.
 */
const [EVERY, PATIENCE, TOKEN] = [1_000, 30_000, 200_000];

/** A merchant of the gateway. */
export type Credential = { readonly clientId: string; readonly clientSecret: string };

/**
 * Starts tenants that sell at a moderate rate: each begins a sale (a charge, its payment, two reads) every second, even
 * if the one before is not finished. Every call must succeed; none is repeated.
 */
export function startTenants(baseUrl: string, credentials: readonly Credential[]) {
  const calls: Call[] = [];
  const began = performance.now();
  let stopped = false;

  async function call<T>(act: Act, expected: number, send: () => Promise<{ status: number; body: T; text: string }>) {
    const at = performance.now();
    const late = pause(PATIENCE).then(() => "no answer");
    const reply = await Promise.race([send(), late]).catch((error: unknown) => String(error));
    const failure =
      typeof reply === "string" ? reply : reply.status === expected ? null : `${reply.status} ${reply.text}`;
    calls.push({ act, at: at - began, elapsed: performance.now() - at, failure });
    return failure === null ? (reply as { body: T }).body : null;
  }

  async function sell(client: Client): Promise<void> {
    const body = { amount: 10.5, description: "Pedido" };
    const charge = await call("charge", 201, () => client.post<{ id: string }>("/pix", body));
    if (charge === null) return;
    await call("settlement", 200, () => client.post(`/sandbox/pix/${charge.id}/pay`));
    await call("read", 200, () => client.get(`/transactions/${charge.id}`));
    await call("read", 200, () => client.get("/account"));
  }

  async function trade({ clientId, clientSecret }: Credential, n: number): Promise<void> {
    await pause((n * EVERY) / credentials.length);
    const sales = new Set<Promise<void>>();
    let client: Client | null = null;
    let until = 0;
    let due = performance.now();
    while (!stopped) {
      if (performance.now() > until) {
        const fresh = new Client(baseUrl);
        const login = await call("read", 200, async () => {
          await fresh.login(clientId, clientSecret);
          return { status: 200, body: true, text: "" };
        });
        if (login !== null) [client, until] = [fresh, performance.now() + TOKEN];
      }
      if (client !== null) {
        const sale = sell(client).finally(() => sales.delete(sale));
        sales.add(sale);
      }
      due += EVERY;
      await pause(Math.max(0, due - performance.now()));
    }
    await Promise.all(sales);
  }

  const trading = Promise.all(credentials.map(trade));
  return {
    calls,
    /** Milliseconds since the first call. */
    now: () => performance.now() - began,
    async stop() {
      stopped = true;
      await trading;
    },
  };
}
