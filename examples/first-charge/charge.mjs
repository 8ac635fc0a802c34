// node examples/first-charge/charge.mjs: needs Node 20.
const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, ORDER = `order-${Date.now()}` } = process.env;

async function call(method, path, { token, key, body } = {}) {
  const headers = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  if (key) headers["idempotency-key"] = key;
  const options = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000) };
  const answer = await fetch(`${PIXGATE_URL}/v2${path}`, options);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const credential = { client_id: PIXGATE_CLIENT_ID, client_secret: PIXGATE_CLIENT_SECRET };
const { access_token: token } = await call("POST", "/auth", { body: credential });

// The key is the order's: whoever repeats this call gets the same charge.
const order = { amount: 25.9, description: "Two coffees", externalReference: ORDER };
const charge = await call("POST", "/pix", { token, key: `charge-${ORDER}`, body: order });
console.log(charge.pixCopyPaste);

await call("POST", `/sandbox/pix/${charge.id}/pay`, { token }); // in production your customer pays

let payment;
for (let second = 0; second < 60; second += 1) {
  payment = await call("GET", `/transactions/${charge.id}`, { token });
  if (payment.status !== "pending") break;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
console.log(payment.status, payment.amount);
