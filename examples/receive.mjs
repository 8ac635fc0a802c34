// A webhook receiver for the first minutes: `node examples/receive.mjs`. It reads the sandbox's credentials, registers
// itself as an endpoint, verifies both signatures of every delivery and prints what it was told.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const folder = process.env.PIXGATE_DATA_DIR || ".pixgate";
const sandbox = JSON.parse(readFileSync(`${folder}/sandbox.json`, "utf8"));
const port = Number(process.env.PORT || 9099);

async function post(path, body, token) {
  const response = await fetch(sandbox.baseUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

const equal = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Both signatures are made over the raw body: verify before parsing. */
function verify(secret, headers, body) {
  const service = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const standard = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  const recent = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
  const given = String(headers["webhook-signature"]).split(" ");
  return recent && equal(service, String(headers["x-service-signature"])) && given.some((one) => equal(standard, one));
}

let secret;
const seen = new Set();
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    if (!verify(secret, request.headers, body)) {
      response.writeHead(401).end();
      console.log("refused: the signature does not match");
      return;
    }
    response.writeHead(204).end(); // answer first, work later
    const event = JSON.parse(body);
    if (seen.has(event.eventId)) return; // deliveries may be repeated
    seen.add(event.eventId);
    console.log(`verified ${event.event} ${event.eventId}\n${JSON.stringify(event.data, null, 2)}`);
  });
});

server.listen(port, "127.0.0.1", async () => {
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  const { access_token: token } = await post("/auth", {
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
  });
  ({ secret } = await post("/webhook-endpoints", { url, description: "examples/receive.mjs" }, token));
  console.log(`receiving webhooks at ${url}`);
});
