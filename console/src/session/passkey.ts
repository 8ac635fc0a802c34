import type { Answers } from "../generated/answers.ts";
import { callConsole, type Session, SessionError } from "./calls.ts";

/** Loaded when a passkey is made or used. */
const library = () => import("@simplewebauthn/browser");
type Library = Awaited<ReturnType<typeof library>>;
type ToMake = Parameters<Library["startRegistration"]>[0]["optionsJSON"];
type ToSign = Parameters<Library["startAuthentication"]>[0]["optionsJSON"];

/** Names of what a browser refuses, by the code of the text that explains it. */
const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: "PASSKEY_CANCELLED",
  AbortError: "PASSKEY_CANCELLED",
  InvalidStateError: "PASSKEY_KNOWN",
};

/** Asks the browser; its refusals become errors with a text. */
async function ask<T>(work: (browser: Library) => Promise<T>): Promise<T> {
  const browser = await library();
  if (!browser.browserSupportsWebAuthn()) throw new SessionError(0, "PASSKEY_UNSUPPORTED", "", null);
  try {
    return await work(browser);
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new SessionError(0, REFUSALS[name] ?? "PASSKEY_FAILED", String(error), null);
  }
}

/** Signs in by a passkey that the person chooses, without an e-mail address. */
export async function signInByPasskey(): Promise<Session> {
  const optionsJSON = await callConsole<ToSign>("POST", "/session/passkey/options", {});
  const response = await ask((browser) => browser.startAuthentication({ optionsJSON }));
  return callConsole<Session>("POST", "/session/passkey", { response });
}

/** Confirms the sign-in by one of the person's passkeys. */
export async function confirmByPasskey({ csrfToken }: Session): Promise<Session> {
  const optionsJSON = await callConsole<ToSign>("POST", "/session/confirm/options", {}, csrfToken);
  const passkey = await ask((browser) => browser.startAuthentication({ optionsJSON }));
  return callConsole<Session>("POST", "/session/confirm", { passkey }, csrfToken);
}

/** Makes a passkey. @returns the session as it is then. */
export async function addPasskey({ csrfToken }: Session, name: string): Promise<Session> {
  const optionsJSON = await callConsole<ToMake>("POST", "/me/passkey-options", {}, csrfToken);
  const response = await ask((browser) => browser.startRegistration({ optionsJSON }));
  return (await callConsole<Answers["addPasskey"]>("POST", "/me/passkeys", { name, response }, csrfToken)).session;
}
