import type { Answer } from "../http/answer.ts";

/** An error of the control API: a code for programs, a message for people. */
export function controlError(status: number, code: string, message: string, more?: Record<string, unknown>): Answer {
  return { status, body: { code, message, ...more } };
}
