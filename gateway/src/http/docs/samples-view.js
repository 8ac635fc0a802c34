// Shows the samples of a call in the language that the reader chose last.

import { h } from "./element.js";
import { curl, php, python, typescript } from "./samples.js";

const LANGUAGES = {
  curl: ["curl", curl],
  typescript: ["TypeScript", typescript],
  python: ["Python", python],
  php: ["PHP", php],
};
const CHOICE = "pixgate-reference-language";
/** Sent to every view when the reader chooses. */
const choices = new EventTarget();
let language = remembered();

/** A browser may forbid storage: the choice then lasts as long as the page. */
function remembered() {
  try {
    const stored = localStorage.getItem(CHOICE);
    return Object.hasOwn(LANGUAGES, stored) ? stored : "curl";
  } catch {
    return "curl";
  }
}

function choose(name) {
  language = name;
  try {
    localStorage.setItem(CHOICE, name);
  } catch {
    // The choice holds on this page all the same.
  }
  choices.dispatchEvent(new Event("change"));
}

/** Copies the text; without a clipboard (plain HTTP) it selects it. Answers what the reader is told. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    return "Selected: press Ctrl+C";
  }
}

/** `makeCall` gives the call as the form has it; `update` shows its samples anew. */
export function samplesView(makeCall, base) {
  const code = h("code");
  const shown = h("pre", { tabindex: "0" }, code);
  const state = h("output", { "aria-live": "polite" });
  const buttons = Object.entries(LANGUAGES).map(([name, [title]]) =>
    h("button", { type: "button", "data-language": name, click: () => choose(name) }, title),
  );
  const copying = h(
    "button",
    {
      type: "button",
      class: "copy",
      click: async () => {
        state.textContent = await copy(code);
      },
    },
    "Copy",
  );

  function update() {
    const [title, sample] = LANGUAGES[language];
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.language === language));
    shown.setAttribute("aria-label", `Sample in ${title}`);
    state.textContent = "";
    try {
      code.textContent = sample(makeCall(), base);
    } catch (error) {
      code.textContent = `The body is not JSON: ${error.message}`;
    }
  }
  choices.addEventListener("change", update);
  update();
  const bar = h(
    "div",
    { class: "languages" },
    h("div", { role: "group", "aria-label": "Language of the samples" }, buttons),
    state,
    copying,
  );
  return { element: h("section", { class: "samples", "aria-label": "Code sample" }, bar, shown), update };
}
