/** One call to the bank: a token, the exchange, and what its answer proves. Nothing here throws. */

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** A token is replaced so long before it ends, milliseconds. */
const EARLY = 60_000;
/** After a token call that failed, calls are refused at once for so long: banks block who asks too often. Milliseconds. */
const PAUSE = 500;
/** 4xx that do not prove that nothing was done: time-out, conflict with an earlier attempt, too early, too many. */
const UNDECIDED = new Set([408, 409, 425, 429]);

/**
 * `call` gives one of:
 * - `{ kind: "ok", body }`: the bank has answered yes.
 * - `{ kind: "refused", status, code, message }`: its own error, with a status that proves that it did nothing.
 * - `{ kind: "unsent", reason }`: no byte has left this machine.
 * - `{ kind: "unknown", reason }`: everything else. It may have been done.
 */
export function createWire(settings, { clock, connect, log }) {
  const { origin } = new URL(settings.templateAddress);
  const { certificate: cert, privateKey: key, ca, timeoutMs = 8_000 } = settings;
  const limits = { origin, maxPending: 4_096, connectTimeoutMs: 3_000, tls: { cert, key, ca } };
  const api = connect({ ...limits, maxConnections: 64, timeoutMs });
  const auth = connect({ ...limits, maxConnections: 1, timeoutMs: 8_000 });
  let token;
  let fetching;
  let failed = { at: Number.NEGATIVE_INFINITY, reason: "token" };

  async function fetchToken() {
    const startedAt = clock.now();
    const basic = Buffer.from(`${settings.clientId}:${settings.clientSecret}`).toString("base64");
    const answer = await auth.send({
      method: "POST",
      path: "/oauth/token",
      headers: ["authorization", `Basic ${basic}`, "content-type", "application/x-www-form-urlencoded"],
      body: "grant_type=client_credentials",
      maxAnswerBytes: 64 * 1024,
    });
    const body = answer.kind === "answered" && answer.status < 300 ? parse(answer.body) : undefined;
    const value = body?.access_token;
    const durationMs = clock.now() - startedAt;
    // Only characters that a header can hold.
    if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
      const reason = answer.kind === "answered" ? `token_http_${answer.status}` : answer.reason;
      failed = { at: clock.now(), reason };
      log({ event: "psp_token", outcome: "none", durationMs });
      return undefined;
    }
    const life = (Number(body.expires_in) > 0 ? Number(body.expires_in) : 300) * 1_000;
    // Its life counts from before the call.
    token = { value, until: startedAt + life - Math.min(EARLY, life / 2) };
    log({ event: "psp_token", outcome: "token", durationMs });
    return token;
  }

  /** However many calls wait for a token, one fetches it. */
  function renew() {
    if (fetching === undefined && clock.now() - failed.at < PAUSE) return undefined;
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function exchange(method, path, body) {
    for (let attempt = 1; ; attempt += 1) {
      const current = token !== undefined && clock.now() < token.until ? token : await renew();
      if (current === undefined) return { kind: attempt === 1 ? "unsent" : "unknown", reason: failed.reason };
      const headers = ["accept", "application/json", "authorization", `Bearer ${current.value}`];
      if (body !== undefined) headers.push("content-type", "application/json");
      const written = body === undefined ? undefined : JSON.stringify(body);
      const answer = await api.send({ method, path, headers, body: written, maxAnswerBytes: MAX_ANSWER_BYTES });
      if (answer.kind === "answered" && answer.status === 401 && attempt === 1) {
        // It was not executed: once more, with another token.
        if (token === current) token = undefined;
        continue;
      }
      return classify(answer);
    }
  }

  return {
    /** @param route its name in logs and metrics. `putCob` is the one that creates charges: it counts for the bank's health. */
    async call(route, method, path, body) {
      const startedAt = clock.now();
      const reply = await exchange(method, path, body);
      log({
        event: "psp_call",
        route,
        outcome: reply.kind,
        httpStatus: reply.status,
        reason: reply.reason,
        durationMs: clock.now() - startedAt,
      });
      return reply;
    },
    /** Whether the bank gives a token now; an older one proves nothing. */
    async access() {
      return (await renew()) === undefined
        ? { kind: "unknown", reason: failed.reason }
        : { kind: "found", value: { missing: null } };
    },
    async close() {
      await Promise.all([api.close(), auth.close()]);
    },
  };
}

function classify(answer) {
  if (answer.kind === "unsent") return { kind: "unsent", reason: answer.reason };
  if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
  const { status } = answer;
  const body = parse(answer.body);
  if (status >= 200 && status <= 299) {
    return body === undefined && answer.body.length > 0
      ? { kind: "unknown", reason: "not_json", status }
      : { kind: "ok", status, body };
  }
  // The bank's own error has a type and a title. A proxy's page has not, and proves nothing.
  const isOwn = typeof body?.type === "string" && typeof body.title === "string";
  if (!isOwn) return { kind: "unknown", reason: "unrecognised_answer", status };
  const code = body.type
    .slice(body.type.lastIndexOf("/") + 1)
    .replace(/[^\w.-]/g, "_")
    .slice(0, 64);
  if (status < 400 || status > 499 || UNDECIDED.has(status))
    return { kind: "unknown", reason: `http_${status}`, status };
  // The title alone: details may quote a document or a key.
  return { kind: "refused", status, code, message: body.title.slice(0, 200) };
}

function parse(bytes) {
  try {
    const value = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
