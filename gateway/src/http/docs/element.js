/** Makes an element: attributes, then children (nodes, texts, or nothing). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Number.POSITIVE_INFINITY).filter((child) => child !== undefined && child !== null && child !== ""),
  );
  return element;
}
