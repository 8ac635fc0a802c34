// A webhook receiver for the first minutes: `node examples/receive.mjs`, while Pixgate runs. It registers itself as an
// endpoint, verifies both signatures of every delivery, and prints what it received. Nothing but Node's own modules.
import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const folder = process.env.PIXGATE_DATA_DIR || ".pixgate";
const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);
const sandbox = readJson(`${folder}/sandbox.json`) ?? stop(`there is no ${folder}/sandbox.json: run npm start first`);

function stop(message) {
  console.error(`receive: ${message}`);
  process.exit(1);
}

async function post(path, body, token) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(sandbox.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The endpoint's secret is shown once, so it is kept: a later start goes on with the same endpoint. */
async function register(url) {
  const file = `${folder}/receiver.json`;
  const known = readJson(file);
  if (known?.accountId === sandbox.accountId && known.url === url) return known.secret;
  const login = await post("/auth", { client_id: sandbox.clientId, client_secret: sandbox.clientSecret });
  const { secret } = await post("/webhook-endpoints", { url, description: "receive.mjs" }, login.access_token);
  writeFileSync(file, JSON.stringify({ accountId: sandbox.accountId, url, secret }), { mode: 0o600 });
  return secret;
}

const hmac = (key, text) => createHmac("sha256", key).update(text);

/** In constant time: how long it takes reveals nothing of where the two differ. */
function equal(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Both signatures are made over the raw body: verify before parsing. */
function isGenuine(secret, headers, body) {
  // X-Service-Signature: the key is the whole secret, as it was shown.
  const service = `sha256=${hmac(secret, body).digest("hex")}`;
  // Standard Webhooks: the key is the decoded part behind the prefix, and the time is signed too.
  const { "webhook-id": id, "webhook-timestamp": seconds } = headers;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const standard = `v1,${hmac(key, `${id}.${seconds}.${body}`).digest("base64")}`;
  const signatures = String(headers["webhook-signature"]).split(" ");
  const isRecent = Math.abs(Date.now() / 1000 - Number(seconds)) <= 300;
  return (
    isRecent &&
    equal(service, String(headers["x-service-signature"])) &&
    signatures.some((signature) => equal(standard, signature))
  );
}

let secret = null;
const seen = new Set(); // yours is a unique key in your database

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    if (secret === null || !isGenuine(secret, request.headers, body)) {
      response.writeHead(401).end();
      console.log("refused a delivery: its signature does not match, or it is old");
      return;
    }
    response.writeHead(204).end(); // answer at once, work afterwards
    const event = JSON.parse(body);
    if (seen.has(event.eventId)) return; // the same event may come again
    seen.add(event.eventId);
    console.log(`verified ${event.event} ${event.eventId}\n${JSON.stringify(event.data, null, 2)}`);
  });
});

const port = Number(process.env.PORT || 9099);
server.once("error", () => server.listen(0, "127.0.0.1")); // taken: any free port
server.listen(port, "127.0.0.1");
server.on("listening", async () => {
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  secret = await register(url).catch((error) => stop(`${sandbox.baseUrl}: ${error.message}`));
  console.log(`receiving webhooks at ${url}`);
});
