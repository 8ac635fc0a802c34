/** Parts of the page for a person. */
type Page = "text/html; charset=utf-8" | "text/css; charset=utf-8" | "text/javascript; charset=utf-8";

/** The answer of a call, before faults change it. */
export type Answer = {
  status: number;
  /** Sent as JSON, or as its bytes where it is a Buffer; left out: an empty body. */
  body?: unknown;
  type?: "application/json" | "application/problem+json" | "application/jose" | "application/pdf" | Page;
  headers?: Record<string, string>;
};

export function json(status: number, body: unknown): Answer {
  return { status, body };
}
