/** The default look, with our colours, and the diagrams of a page drawn when it is shown. */
import { useData, useRoute } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { nextTick, onMounted, watch } from "vue";
import "./colours.css";

/** Draws what is not drawn yet; the text stays in the element, from which another appearance draws it anew. */
async function draw(isDark: boolean): Promise<void> {
  const diagrams = [...document.querySelectorAll<HTMLElement>("pre.mermaid")];
  if (diagrams.length === 0) return;
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: isDark ? "dark" : "neutral",
    // Mermaid's grey behind a label is half transparent, on which the words are too pale.
    themeVariables: { edgeLabelBackground: isDark ? "#1b1b1f" : "#ffffff" },
  });
  for (const diagram of diagrams) {
    diagram.dataset.text ??= diagram.textContent ?? "";
    diagram.textContent = diagram.dataset.text;
    delete diagram.dataset.processed;
  }
  await mermaid.run({ nodes: diagrams });
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const { isDark } = useData();
    onMounted(() => draw(isDark.value));
    watch([() => route.path, isDark], () => nextTick(() => draw(isDark.value)));
  },
};
