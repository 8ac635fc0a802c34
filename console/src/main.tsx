import "./app/mantine.ts";
import "@fontsource-variable/inter/wght.css";
import "./app/tokens.css";
import "./app/shell.css";
import "./parts/parts.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { openSession, type Session } from "./session/calls.ts";
import { cameFromProvider } from "./session/provider.ts";
import { preferredLanguage, startTexts } from "./texts/language.ts";

/** Of this page: style elements need it, and nothing else may use it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// Where the drawer's scroll lock (react-remove-scroll) finds it.
Object.assign(window, { __webpack_nonce__: nonce });

let session: Session | null = null;
let refused: unknown = null;
try {
  session = (await cameFromProvider()) ?? (await openSession());
} catch (error) {
  refused = error;
}
await startTexts(preferredLanguage(session?.person.language ?? null));
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App first={session} refused={refused} nonce={nonce} />);
