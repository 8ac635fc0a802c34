/**
 * Inter's API Banking beside its API Pix: the balance of the account. Its calls need scopes of their own, and one scope that
 * the application lacks fails the whole token, so they are made only where the operator's `scope` names theirs.
 */
import type { Psp, PspBalance } from "../psp.ts";
import type { ApiPixSettings } from "./config.ts";
import { found } from "./interpret.ts";
import { readSigned, record } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** Scope of the balance. */
export const BALANCE_SCOPE = "extrato.read";
const PROFILES: readonly unknown[] = ["inter", "inter-sandbox"];

/** Whether an institution with these settings reports its balance. */
export const readsBalance = ({ profile, scope }: Pick<ApiPixSettings, "profile" | "scope">): boolean =>
  PROFILES.includes(profile) && (scope ?? "").split(" ").includes(BALANCE_SCOPE);

/** The calls that read the account. */
export const readAccount = (caller: Caller): Required<Pick<Psp, "balance">> => ({
  async balance() {
    return found(await caller.call({ route: "accountBalance", method: "GET" }), readAccountBalance);
  },
});

/** The balance with what is blocked, which Inter shows beside what is free; a block that is left out is none. */
export function readAccountBalance(value: unknown): PspBalance | null {
  const body = record(value);
  const free = readSigned(body?.disponivel);
  const blocks = [body?.bloqueadoCheque, body?.bloqueadoJudicialmente, body?.bloqueadoAdministrativo].map((block) =>
    block === undefined || block === null ? 0 : readSigned(block),
  );
  if (free === null || blocks.includes(null)) return null;
  const blocked = blocks.reduce<number>((sum, block) => sum + block!, 0);
  return { total: free + blocked, blocked };
}
