import type { Answers } from "../generated/answers.ts";

type Call = {
  readonly url: string;
  readonly init: RequestInit | undefined;
  readonly resolve: (answer: Response) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * A `fetch` for the reads of a screen, at most 10 at once: those of one moment are sent in one request, and each gets its own
 * answer, also a refusal. One that is alone is sent as it is; so are all where a process of an earlier version answers, as
 * during an upgrade: it knows no rounds, or not yet with one of these reads. An answer that had no room in the round comes empty,
 * and is read by itself.
 */
export function gatherReads(send: typeof fetch): typeof fetch {
  let waiting: Call[] = [];
  return (input, init) =>
    new Promise((resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      waiting.push({ url: String(input), init, resolve, reject });
      if (waiting.length > 1) return;
      // The parts of a screen ask one after the other, within one turn of the page.
      setTimeout(() => {
        const calls = waiting;
        waiting = [];
        sendRound(send, calls).catch((error) => {
          for (const call of calls) call.reject(error);
        });
      });
    });
}

async function sendRound(send: typeof fetch, calls: readonly Call[]): Promise<void> {
  const urls = calls.map(({ url }) => url.slice(new URL(url).origin.length));
  const round =
    calls.length > 1
      ? await send(`/console/api/round?calls=${encodeURIComponent(JSON.stringify(urls))}`, calls[0]!.init)
      : null;
  if (round === null || round.status === 404 || round.status === 400) {
    for (const { url, init, resolve, reject } of calls) send(url, init).then(resolve, reject);
  } else if (!round.ok) {
    for (const { resolve } of calls) resolve(round.clone());
  } else {
    const { answers } = (await round.json()) as Answers["readRound"];
    for (const [n, { status, traceId, retryAfter, body }] of answers.entries()) {
      const { url, init, resolve, reject } = calls[n]!;
      if (status === 503 && body === "") {
        send(url, init).then(resolve, reject);
        continue;
      }
      const headers = { "content-type": "application/json", "x-request-id": traceId };
      resolve(
        new Response(body, {
          status,
          headers: { ...headers, ...(retryAfter !== null && { "retry-after": retryAfter }) },
        }),
      );
    }
  }
}
