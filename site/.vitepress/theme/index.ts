/** The default look, with our colours, and the diagrams of a page drawn when they are seen. */
import { useData, useRoute } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { nextTick, onMounted, watch } from "vue";
import "./colours.css";

/** Draws a diagram when it comes into view, since Mermaid is larger than most pages; the text stays, from which another
 * appearance draws it anew. */
function drawInView(isDark: boolean): () => void {
  const diagrams = [...document.querySelectorAll<HTMLElement>("pre.mermaid")];
  const observer = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      void draw(target as HTMLElement, isDark);
    }
  });
  for (const diagram of diagrams) observer.observe(diagram);
  return () => observer.disconnect();
}

async function draw(diagram: HTMLElement, isDark: boolean): Promise<void> {
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: isDark ? "dark" : "neutral",
    // Mermaid's grey behind a label is half transparent, on which the words are too pale.
    themeVariables: { edgeLabelBackground: isDark ? "#1b1b1f" : "#ffffff" },
  });
  diagram.dataset.text ??= diagram.textContent ?? "";
  diagram.textContent = diagram.dataset.text;
  delete diagram.dataset.processed;
  await mermaid.run({ nodes: [diagram] });
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const { isDark } = useData();
    let stop = () => {};
    const again = () => {
      stop();
      stop = drawInView(isDark.value);
    };
    onMounted(again);
    watch([() => route.path, isDark], () => nextTick(again));
  },
};
