/** Screens that need another reader than who is signed in: nobody yet, somebody who has to enrol, the second person of a case. */
import type { Page } from "playwright-core";
import { callApi } from "../../console/test/call-api.ts";
import type { Filled } from "../../console/test/fill.ts";
import { qrDataUri } from "../../gateway/src/lib/qr.ts";
import type { Staged } from "./staged.ts";

/** What the page is told in place of the gateway's answers, by the path below `/console/api`. */
type Told = Readonly<Record<string, { readonly status?: number; readonly json: object }>>;
type OutsideScreen = Omit<Staged, "before"> & { readonly told: Told };

const URI = "otpauth://totp/Pixgate:lucia@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Pixgate";
const refused = (status: number, code: string) => ({ status, json: { message: code, details: { code } } });
/** An authenticator's secret, which is nobody's. */
const AUTHENTICATOR = { secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", uri: URI, qrCode: qrDataUri(URI) };
/** The browser's contexts share their cookies: nobody is signed out, so the page is told so. */
const NOBODY: Told = { "/session": refused(401, "UNAUTHENTICATED") };

async function signInByPassword(page: Page): Promise<void> {
  await page.locator("input[name=email]").fill("lucia@example.com");
  await page.locator("input[name=password]").fill("a long password of hers");
  await page.locator("form button[type=submit]").click();
  await page.locator("input[name=code]").waitFor();
}

async function chooseAnotherPassword(page: Page): Promise<void> {
  await page.locator("input[name=password]").fill("a long password of hers");
  await page.locator("form:has(input[name=password]) button[type=submit]").click();
  await page.getByRole("dialog").waitFor();
}

export async function outsideScreens(page: Page, ids: Filled): Promise<readonly Staged[]> {
  const session = await callApi<object>(page, "GET", "/console/api/session");
  const as = (changes: object): Told => ({ "/session": { json: { ...session, ...changes } } });
  const recovery = await callApi<{ link: string }>(page, "POST", "/operator/v1/people/recovery", {
    email: "lucia@example.com",
  });
  const hashOf = (link: string) => new URL(link).hash;
  const lucia = { ...session, person: { id: "0", name: "Lúcia Prado", email: "lucia@example.com", language: null } };
  const stale = { ...NOBODY, "/session/password": refused(401, "SECOND_FACTOR_REQUIRED") };
  const confirm = { hasPassword: true, hasPasskey: true, hasAuthenticator: true };
  const screens: readonly OutsideScreen[] = [
    { name: "sign-in", path: "", told: NOBODY },
    { name: "sign-in-code", path: "", told: stale, reach: signInByPassword },
    { name: "welcome", path: hashOf(ids.invitation), told: NOBODY },
    { name: "welcome-signed-in", path: hashOf(ids.invitation), told: {} },
    { name: "recovery", path: hashOf(recovery.link), told: NOBODY },
    { name: "enrol", path: "", told: as({ missing: ["password"] }) },
    {
      ...{ name: "enrol-authenticator", path: "" },
      reach: (own: Page) => own.locator("main button").first().click(),
      told: { ...as({ missing: ["authenticator"], hasPassword: true }), "/me/totp": { json: AUTHENTICATOR } },
    },
    {
      ...{ name: "confirm", path: "settings" },
      told: { "/session": { json: { ...lucia, ...confirm } }, "/me/password": refused(403, "FRESH_SIGN_IN_REQUIRED") },
      reach: chooseAnotherPassword,
    },
    {
      name: "operator-cases-second-person",
      path: `operator/cases?open=${ids.case}`,
      told: { "/session": { json: lucia } },
    },
  ];
  return screens.map(({ told, ...screen }) => ({ ...screen, before: (own) => tell(own, told) }));
}

/** Tells the page these answers. */
async function tell(page: Page, told: Told): Promise<void> {
  for (const [path, answer] of Object.entries(told)) {
    await page.route(new RegExp(`/console/api${path}$`), (route) => route.fulfill(answer));
  }
}
