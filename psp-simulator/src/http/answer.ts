/** What a call is answered, before any fault has been at it. */
export type Answer = {
  status: number;
  /** Sent as JSON; left out: an empty body. */
  body?: unknown;
  type?: "application/json" | "application/problem+json";
  headers?: Record<string, string>;
};

export function json(status: number, body: unknown): Answer {
  return { status, body };
}
