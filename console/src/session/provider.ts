import type { Answers } from "../generated/answers.ts";
import type { MadeAnswer } from "../team/ends-with-maker.tsx";
import { callConsole, type Session } from "./calls.ts";

/** How one may sign in here; `provider` is the host of the company's OpenID Connect provider. */
export type Methods = Answers["readMethods"];

/** The screen to which the page goes back from the provider. No secret. */
const RETURN = "pixgate.return";

/** Where the provider sends the browser back to. */
const PATH = "/console/provider";

/** What becomes of what others made in the person's name, where the page has asked. No secret. */
const MADE = "pixgate.made";

/** Leaves for the provider: to sign in, or with a session to confirm the sign-in. */
export async function goToProvider(session: Session | null, made?: MadeAnswer): Promise<void> {
  const path = session === null ? "/session/provider" : "/session/confirm/provider";
  const { url } = await callConsole<Answers["signInAtProvider"]>("POST", path, {}, session?.csrfToken);
  sessionStorage.setItem(RETURN, window.location.pathname + window.location.search);
  if (made !== undefined) sessionStorage.setItem(MADE, made);
  window.location.assign(url);
}

/** The session that the provider's answer in the address gives, which leaves the address at once; null where there is no answer. */
export async function cameFromProvider(): Promise<Session | null> {
  const query = window.location.search.slice(1);
  if (window.location.pathname !== PATH || query === "") return null;
  const back = sessionStorage.getItem(RETURN) ?? "";
  window.history.replaceState(null, "", back.startsWith("/console/") && !back.startsWith(PATH) ? back : "/console/");
  const made = sessionStorage.getItem(MADE);
  sessionStorage.removeItem(MADE);
  return callConsole<Session>("POST", "/session/provider/answer", { query, ...(made !== null && { made }) });
}
