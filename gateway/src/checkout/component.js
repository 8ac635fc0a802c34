import { copyOnClick, countDown } from "./parts.js";

/**
 * `<pixgate-checkout src="https://pix.example.com/pay/…">`: the page of a charge inside a page of another site. It shows what the
 * gateway's own page shows, and dispatches `paid`, `expired` and `error`. Only the gateway that served this file is asked: an
 * address from somewhere else shows nothing, so that nobody can put a page of theirs into the merchant's.
 */
const HERE = new URL("./", import.meta.url);
const POLL_EVERY = 5_000;
/** Longer than two beats of a stream (every 15 s). */
const BEAT_WITHIN = 35_000;
const READ_WITHIN = 15_000;
/** Events wait until the page's own scripts have run, and listen. */
const READY = new Promise((done) => {
  if (document.readyState === "complete") done();
  for (const [target, kind] of [
    [document, "DOMContentLoaded"],
    [globalThis, "load"],
  ])
    target.addEventListener(kind, done);
});
/** What happens once in a state; while it waits, nothing. */
const EVENTS = {
  ...{ paid: "paid", paid_late: "paid" },
  ...{ expired: "expired", cancelled: "expired", sold_out: "expired", returned: "expired" },
};

/** A page, its styles beside it: a document is parsed under the merchant's policy, which may allow none in it. */
function parse(text) {
  const styles = [];
  const rest = text.replace(/<style>([\s\S]*?)<\/style>/g, (_, css) => {
    styles.push(css);
    return "";
  });
  return Object.assign(new DOMParser().parseFromString(rest, "text/html"), { styles });
}

/** The page's styles for a shadow root. It is as wide as its place, not as the window. */
const shadowed = (css) =>
  css
    .replaceAll(":root", ":host")
    .replace(/\bbody\b/g, ":host")
    .replace(/\bmain\b/g, ".main")
    .replaceAll(".js ", ":host ")
    .replace("@media (min-width", "@container (min-width");
/** Before the page's, so that its rules count more; a rule of the merchant for the element counts most. */
const OWN = ":host{display:block;container-type:inline-size}.main{padding:1.25rem}";

class PixgateCheckout extends HTMLElement {
  static observedAttributes = ["src", "token", "locale"];
  #root = this.attachShadow({ mode: "open" });
  #body = document.createElement("section");
  #status = document.createElement("p");
  #offline = null;
  #state = null;
  #life = new AbortController();
  /** Ends with the state that is shown. */
  #shown = new AbortController();
  #starting = false;
  /** Whether an error was told since the beginning. */
  #told = false;
  #setLeft = () => {};

  connectedCallback() {
    this.#start();
  }

  disconnectedCallback() {
    this.#end();
  }

  attributeChangedCallback() {
    this.#start();
  }

  /** Begins anew, once for all attributes that change together. */
  #start() {
    if (this.#starting) return;
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      this.#end();
      if (!this.isConnected) return;
      this.#life = new AbortController();
      [this.#state, this.#told] = [null, false];
      this.#body.className = "main";
      this.#status.className = "aside";
      this.#status.setAttribute("role", "status");
      this.#root.replaceChildren(this.#body, this.#status);
      this.#body.replaceChildren();
      const address = this.#address();
      if (address === null) this.#fail(0, "src is no address of the gateway that this script comes from");
      else this.#open(address, this.#life.signal);
    });
  }

  #end() {
    this.#life.abort();
    this.#shown.abort();
  }

  /** The page's address; null for one that is not this gateway's. */
  #address() {
    const [src, token] = [this.getAttribute("src"), this.getAttribute("token")];
    try {
      const url = new URL(src ?? encodeURIComponent(token ?? ""), HERE);
      const path = url.pathname.slice(HERE.pathname.length);
      const isOurs = url.origin === HERE.origin && url.pathname.startsWith(HERE.pathname);
      return isOurs && /^[\w-]+$/.test(path) ? HERE.href + path : null;
    } catch {
      return null;
    }
  }

  /** Shows the page, and follows it until its last word or until this life ends. */
  async #open(address, life) {
    const status = await this.#update(address, life);
    if (life.aborted || status === 404) return;
    let [heardAt, stream, shown] = [Number.NEGATIVE_INFINITY, null, null];
    const look = () => document.hidden || this.#update(address, life).then(follow);
    const follow = () => {
      if (life.aborted || this.#state?.isLast) return stop();
      if (this.#state === null || (stream !== null && shown === this.#state.name)) return;
      stream?.close();
      shown = this.#state.name;
      stream = new EventSource(`${address}/events?shown=${shown}`);
      stream.onerror = () => {
        heardAt = Number.NEGATIVE_INFINITY;
      };
      stream.addEventListener("beat", () => {
        heardAt = performance.now();
        if (this.#offline?.hidden === false) look();
      });
      stream.addEventListener("change", () => {
        stream.close();
        [stream, heardAt] = [null, Number.NEGATIVE_INFINITY];
        look();
      });
    };
    const polling = setInterval(() => {
      if (performance.now() - heardAt > BEAT_WITHIN) look();
    }, POLL_EVERY);
    const stop = () => {
      stream?.close();
      clearInterval(polling);
      document.removeEventListener("visibilitychange", look);
    };
    document.addEventListener("visibilitychange", look);
    life.addEventListener("abort", stop);
    follow();
  }

  /** Reads the page, and shows it where its state is another one. Gives the answer's status; 0 without one. */
  async #update(address, life) {
    const locale = this.getAttribute("locale");
    const abort = new AbortController();
    const end = () => abort.abort();
    const timer = setTimeout(end, READ_WITHIN);
    life.addEventListener("abort", end);
    try {
      const answer = await fetch(address, {
        ...{ cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", signal: abort.signal },
        headers: locale === null ? {} : { "accept-language": locale },
      });
      const page = parse(await answer.text());
      if (life.aborted) return 0;
      if (answer.ok) this.#show(page, address, life);
      else this.#lose(answer.status, page);
      return answer.status;
    } catch {
      if (!life.aborted) this.#lose(0, null);
      return 0;
    } finally {
      clearTimeout(timer);
      life.removeEventListener("abort", end);
    }
  }

  #show(page, address, life) {
    const main = page.querySelector("main");
    if (main === null) return this.#lose(0, null);
    if (this.#offline) this.#offline.hidden = true;
    const [before, name] = [this.#state?.name, main.dataset.state];
    if (name === before) {
      const time = main.querySelector("time");
      if (time) this.#setLeft(time.dataset.left);
      return;
    }
    if (name === "link") return this.#fail(0, "src is the address of a payment link: open it as a page");
    this.#shown.abort();
    this.#shown = new AbortController();
    const shown = this.#shown.signal;
    this.#state = { name, isLast: "last" in main.dataset };
    this.#put(page, main);
    for (const link of this.#body.querySelectorAll("a[href]")) {
      link.href = new URL(link.getAttribute("href"), address).href;
    }
    const copy = this.#body.querySelector(".copy");
    if (copy) copyOnClick(copy, this.#body.querySelector("textarea"), this.#status, shown);
    const time = this.#body.querySelector("time");
    const pay = this.#body.querySelector(".pay");
    if (time) this.#setLeft = countDown(time, pay, () => this.#update(address, life), shown);
    this.#status.textContent = before === undefined ? "" : main.dataset.said;
    if (EVENTS[name] !== EVENTS[before]) this.#fire(EVENTS[name], { state: name });
  }

  /** Puts the content of a page here. What is for a page alone stays away. */
  #put(page, main) {
    this.#root.adoptedStyleSheets = [OWN, ...page.styles.map(shadowed)].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    for (const part of main.querySelectorAll("noscript, .print, .soon, a[href='']")) part.remove();
    this.#body.lang = page.documentElement.lang;
    this.#body.setAttribute("aria-label", page.title);
    this.#body.replaceChildren(...main.childNodes);
    const offline = page.querySelector(".offline");
    if (offline) {
      this.#offline?.remove();
      this.#offline = offline;
      this.#root.append(offline);
    }
  }

  /** No page could be read: the one that is shown stays, and says that it may be old. */
  #lose(status, page) {
    if (this.#state !== null && this.#offline) this.#offline.hidden = status !== 0 && status < 500;
    else if (page?.querySelector("main")) this.#put(page, page.querySelector("main"));
    if (status === 404 || this.#state === null) this.#fail(status, "the page could not be read");
  }

  #fail(status, message) {
    if (!this.#told) this.#fire("error", { status, message });
    this.#told = true;
  }

  /** It does not bubble: `error` on a window is something else. */
  #fire(kind, detail) {
    const life = this.#life.signal;
    if (kind) READY.then(() => life.aborted || this.dispatchEvent(new CustomEvent(kind, { detail })));
  }
}

if (!customElements.get("pixgate-checkout")) customElements.define("pixgate-checkout", PixgateCheckout);
