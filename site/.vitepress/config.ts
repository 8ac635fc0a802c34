/** The documents as a site: the pages of `docs/` and the two README files, searched without a server. */
import { type DefaultTheme, defineConfig } from "vitepress";

import { anchorOf, REPOSITORY, rewriteLinks } from "./links.ts";
import { drawDiagrams, foldTour, keepCorners, showTags, wrapSections } from "./markdown.ts";
import { ENGLISH, PORTUGUESE } from "./pages.ts";

type Words = { readonly sidebar: DefaultTheme.SidebarItem[]; readonly theme?: DefaultTheme.Config };

const themeOf = ({ sidebar, theme }: Words): DefaultTheme.Config => ({
  ...theme,
  sidebar,
  outline: { level: [2, 3], ...(typeof theme?.outline === "object" && theme.outline) },
});

export default defineConfig({
  title: "Pixgate",
  srcDir: "pages",
  // For whoever changes Pixgate: reached by links to the repository.
  srcExclude: ["docs/performance/**", "docs/decisions/**"],
  rewrites: {
    "README.md": "index.md",
    "README.pt-BR.md": "pt-BR/index.md",
    "docs/pt-BR/README.md": "pt-BR/documentos.md",
    "docs/:page(.*)": ":page",
  },
  // Its way to change colours without a transition computes every element's style anew when a page opens: 90 of 200 ms on a phone.
  appearance: { disableTransition: false },
  // Reading every link of a page in order to load what it leads to takes 40 ms more there.
  router: { prefetchLinks: false },
  base: process.env.SITE_BASE ?? "/",
  outDir: "dist",
  cacheDir: "node_modules/.vitepress",
  cleanUrls: true,
  lastUpdated: false,
  // The examples of commands name a receiver on the reader's own machine.
  ignoreDeadLinks: "localhostLinks",
  head: [["meta", { name: "theme-color", content: "#ffffff" }]],
  markdown: {
    // In the usual themes the grey of comments is too pale.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: anchorOf },
    image: { lazyLoading: true },
    config(markdown) {
      rewriteLinks(markdown);
      drawDiagrams(markdown);
      foldTour(markdown);
      showTags(markdown);
      keepCorners(markdown);
      wrapSections(markdown);
    },
  },
  locales: {
    root: {
      label: "English",
      lang: "en",
      description: "A self-hosted PIX payment gateway",
      themeConfig: themeOf({ sidebar: ENGLISH }),
    },
    "pt-BR": {
      label: "Português",
      lang: "pt-BR",
      description: "Um gateway de pagamentos Pix que você mesmo hospeda",
      themeConfig: themeOf({
        sidebar: PORTUGUESE,
        theme: {
          outline: { label: "Nesta página" },
          docFooter: { prev: "Anterior", next: "Próxima" },
          darkModeSwitchLabel: "Aparência",
          lightModeSwitchTitle: "Usar o tema claro",
          darkModeSwitchTitle: "Usar o tema escuro",
          sidebarMenuLabel: "Páginas",
          returnToTopLabel: "Voltar ao início",
          langMenuLabel: "Mudar o idioma",
          skipToContentLabel: "Ir para o conteúdo",
          notFound: {
            title: "PÁGINA NÃO ENCONTRADA",
            quote: "Este endereço não existe, ou a página mudou de lugar.",
            linkText: "Ir para o início",
            linkLabel: "ir para o início",
          },
        },
      }),
    },
  },
  themeConfig: {
    // A page has another name in the other language; each page links its twin below its title.
    i18nRouting: false,
    search: {
      provider: "local",
      options: {
        locales: {
          "pt-BR": {
            translations: {
              button: { buttonText: "Buscar", buttonAriaLabel: "Buscar" },
              modal: {
                displayDetails: "Mostrar detalhes",
                resetButtonTitle: "Limpar a busca",
                backButtonTitle: "Fechar a busca",
                noResultsText: "Nada encontrado para",
                footer: { selectText: "para abrir", navigateText: "para navegar", closeText: "para fechar" },
              },
            },
          },
        },
      },
    },
    ...(REPOSITORY && { socialLinks: [{ icon: "git", link: REPOSITORY }] }),
  },
});
