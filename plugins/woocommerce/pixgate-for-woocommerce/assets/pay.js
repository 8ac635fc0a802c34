/** The page after the checkout: copies the code, and reloads when the order has been paid or its code has ended. */
(() => {
  const part = document.querySelector(".pixgate-pay");
  if (part === null) return;
  const { address, order, key } = part.dataset;
  const code = part.querySelector("input");
  const button = part.querySelector("button");
  button.addEventListener("click", async () => {
    code.select();
    await navigator.clipboard?.writeText(code.value);
    button.textContent = button.dataset.copied;
  });
  const url = new URL(address, location.href);
  url.searchParams.set("order", order);
  url.searchParams.set("key", key);
  const ask = async () => {
    const answer = await fetch(url, { credentials: "same-origin" }).catch(() => null);
    const { state = "waiting" } = answer?.ok ? await answer.json() : {};
    if (state !== "waiting") location.reload();
    else setTimeout(ask, document.hidden ? 15_000 : 4_000);
  };
  setTimeout(ask, 2_000);
})();
