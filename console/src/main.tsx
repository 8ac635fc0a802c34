import "./app/mantine.ts";
import "@fontsource-variable/inter/wght.css";
import "./app/tokens.css";
import "./app/shell.css";
import "./parts/parts.css";
import "./parts/arrange.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { reloadWhenAnswered } from "./parts/boundary.tsx";
import { type Opened, openSession } from "./session/calls.ts";
import { watchInput } from "./session/presence.ts";
import { cameFromProvider } from "./session/provider.ts";
import { preferredLanguage, prefetchTexts, startTexts } from "./texts/language.ts";

/** Of this page: style elements need it, and nothing else may use it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// Where the drawer's scroll lock (react-remove-scroll) finds it.
Object.assign(window, { __webpack_nonce__: nonce });

// Loaded while the session is read, so that neither waits for the other: the texts that this browser mostly wants, and Home.
prefetchTexts(preferredLanguage(null));
if (/^\/console\/?$/.test(window.location.pathname)) void import("./home/home.tsx");

watchInput(window);

let opened: Opened = { session: null, link: null };
let refused: unknown = null;
try {
  const session = await cameFromProvider();
  opened = session === null ? await openSession() : { session, link: null };
} catch (error) {
  refused = error;
}
const root = document.getElementById("root") as HTMLElement;
try {
  await startTexts(preferredLanguage(opened.session?.person.language ?? null));
  createRoot(root).render(<App first={opened} refused={refused} nonce={nonce} />);
} catch {
  // Of either language, since it is the texts that could not be loaded.
  root.textContent = "O Pixgate não responde. A página volta assim que ele responder. · Pixgate does not answer.";
  reloadWhenAnswered();
}
