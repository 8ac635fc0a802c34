import { Pool } from "undici";
import { deliveryHeaders } from "../../gateway/src/webhooks/deliveries/sign.ts";

/** Requests under way at once: more gave no more. */
const IN_FLIGHT = 256;

/**
 * As many POSTs as undici sends: the headers and the body of a delivery, made once. No rows, no signing, no marking.
 * Gives requests a second.
 */
export async function bareLoop(url: string, secret: string, many: number): Promise<number> {
  const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1 });
  const body = JSON.stringify({ eventId: "01a1fe32-77ae-766b-baaa-e5d11eb6d6dd" });
  const signed = { kind: "payment_completed", eventId: "x", webhookId: "x", secret, body, nowMs: 0 };
  const headers = deliveryHeaders(signed);
  const send = async (requests: number): Promise<void> => {
    let left = requests;
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (left-- > 0) {
          const answer = await pool.request({ path: "/good/0", method: "POST", headers, body });
          await answer.body.dump();
        }
      }),
    );
  };
  // Every connection is open before time counts.
  await send(IN_FLIGHT * 2);
  const began = performance.now();
  await send(many);
  const rate = many / ((performance.now() - began) / 1_000);
  await pool.close();
  return rate;
}
