(() => {
  const status = document.querySelector("[role=status]");
  const path = location.pathname.replace(/\/+$/, "");
  const POLL_EVERY = 5_000;
  let stop = () => {};

  const find = (selector) => document.querySelector(selector);
  const show = (selector) => find(selector)?.removeAttribute("hidden");

  async function copy(button) {
    const field = find("textarea");
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Over http there is no clipboard.
      field.select();
      document.execCommand("copy");
    }
    const words = button.textContent;
    button.textContent = status.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = words;
      status.textContent = "";
    }, 4_000);
  }

  /** Counts down the seconds that the server says are left, also while the phone sleeps. */
  function countDown(time) {
    const end = Date.now() + Number(time.dataset.left) * 1_000;
    const two = (number) => String(number).padStart(2, "0");
    const tick = () => {
      const left = Math.max(0, Math.ceil((end - Date.now()) / 1_000));
      const [hours, minutes] = [Math.floor(left / 3_600), Math.floor(left / 60) % 60];
      if (hours < 24) {
        time.title ||= time.textContent;
        time.textContent = `${hours > 0 ? `${hours}:` : ""}${two(minutes)}:${two(left % 60)}`;
      }
      if (left === 0) tryUpdate();
    };
    tick();
    return setInterval(tick, 1_000);
  }

  /** Reads the page anew and shows it where its state is another one. */
  async function update() {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [before, main] = [find("main"), page.querySelector("main")];
    if (main === null || main.dataset.state === before.dataset.state) return;
    before.replaceWith(main);
    document.title = page.title;
    status.textContent = main.dataset.said;
    begin();
  }
  const tryUpdate = () => update().catch(() => {});

  /** Reads the state alone, and the page where it is another one; nothing while nobody sees the page. */
  async function poll() {
    if (document.hidden) return;
    const answer = await fetch(`${path}/state`, { cache: "no-store" });
    if (answer.ok && (await answer.json()).state !== find("main").dataset.state) await update();
  }
  const tryPoll = () => poll().catch(() => {});

  /** Learns of a change by server-sent events; by polling where there is no stream. */
  function watch() {
    let polling;
    const startPolling = () => {
      polling ??= setInterval(tryPoll, POLL_EVERY);
    };
    const stream = new EventSource(`${path}/events?shown=${find("main").dataset.state}`);
    stream.addEventListener("change", () => {
      stream.close();
      tryUpdate();
      startPolling();
    });
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED) startPolling();
    };
    return () => {
      stream.close();
      clearInterval(polling);
    };
  }

  /** Makes what the server has sent live. */
  function begin() {
    stop();
    show(".copy");
    show(".print");
    show(".watched");
    find(".copy")?.addEventListener("click", ({ currentTarget }) => copy(currentTarget));
    find(".print")?.addEventListener("click", () => print());
    const time = find("time");
    const timer = time && countDown(time);
    const unwatch = "last" in find("main").dataset || find("main").dataset.state === "error" ? () => {} : watch();
    stop = () => {
      clearInterval(timer);
      unwatch();
    };
  }

  document.documentElement.className = "js";
  document.addEventListener("visibilitychange", tryPoll);
  begin();
})();
