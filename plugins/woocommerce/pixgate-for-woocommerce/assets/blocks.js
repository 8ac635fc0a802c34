/** The payment method in the checkout of blocks. Without a build: WordPress has the libraries. */
(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry;
  const { createElement } = window.wp.element;
  const { decodeEntities } = window.wp.htmlEntities;
  const settings = window.wc.wcSettings.getSetting("pixgate_data", {});
  const title = decodeEntities(settings.title || "Pix");
  const content = createElement("p", null, decodeEntities(settings.description || ""));
  registerPaymentMethod({
    name: "pixgate",
    label: createElement("span", null, title),
    ariaLabel: title,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: settings.supports || ["products"] },
  });
})();
