/** What stands beside every page, by language: first what an adopter reads, then what an operator looks up. */
import { readFileSync } from "node:fs";
import type { DefaultTheme } from "vitepress";

type Item = DefaultTheme.SidebarItem;

const group = (text: string, items: Item[]): Item => ({ text, items });
const page = (text: string, link: string): Item => ({ text, link });

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}.md`, import.meta.url), "utf8");

/** A page for each bank, in the order of the catalogue, which `docs/banks.md` is generated from. */
const banks = (): Item[] =>
  [...read("banks").matchAll(/^\| \[`[^`]+`\]\((banks\/[^)]+)\.md\) \| [^|]* \|$/gm)].map(([, path]) =>
    page(/^# (.*): provider /.exec(read(path!))![1]!, `/${path}`),
  );

export const ENGLISH: Item[] = [
  group("Start", [
    page("Quick start", "/"),
    page("Concepts", "/concepts"),
    page("The console", "/console"),
    page("Glossary", "/glossary"),
  ]),
  group("Integrate", [
    page("Integrate", "/integrate"),
    page("The first charge", "/guides/first-charge"),
    page("The page a payer sees", "/checkout"),
    page("Selling by a payment link", "/guides/payment-links"),
    page("Charges with a due date", "/guides/due-dates"),
    page("A restaurant's tills", "/guides/tills"),
    page("Webhooks", "/webhooks"),
    page("Webhooks and polling", "/guides/webhooks-and-polling"),
    page("Errors", "/errors"),
    page("States", "/states"),
    page("Marketplace", "/guides/marketplace"),
    page("Payouts with approval", "/guides/payouts"),
    page("A week with a dispute", "/guides/disputes"),
    page("Reconciliation", "/guides/reconciliation"),
    page("Payments and their invoices", "/guides/invoices"),
    page("Pix in WooCommerce", "/guides/woocommerce"),
    page("Migrating", "/guides/migrating"),
    page("Command line", "/cli"),
    page("AI agents (MCP)", "/mcp"),
    page("Changes of the API", "/api-changes"),
  ]),
  group("Operate", [
    page("Operating", "/operating"),
    {
      ...page("Banks", "/banks"),
      collapsed: true,
      items: banks(),
    },
    page("Writing a bank", "/writing-a-bank"),
    page("Going live", "/going-live"),
    page("Compatibility and support", "/compatibility"),
    page("People", "/people"),
    page("Metrics", "/metrics"),
    page("Scaling out", "/scale-out"),
    page("Personal data", "/personal-data"),
    page("Payment law", "/payment-law"),
  ]),
  group("Trust", [
    page("Money", "/money"),
    page("Security", "/security"),
    page("Threats", "/threats"),
    page("Tests", "/tests"),
    page("Torture", "/torture"),
    page("Corruptions", "/corruptions"),
    page("The interface, rule by rule", "/interface"),
    page("Data", "/data"),
    page("Dependencies", "/dependencies"),
  ]),
];

export const PORTUGUESE: Item[] = [
  group("Começar", [
    page("Início rápido", "/pt-BR/"),
    page("Meia hora com o Pixgate", "/pt-BR/inicio-rapido"),
    page("Conceitos", "/pt-BR/conceitos"),
    page("Todas as páginas", "/pt-BR/documentos"),
  ]),
  group("Integrar", [
    page("Integrar", "/pt-BR/integrar"),
    page("A primeira cobrança", "/pt-BR/guias/primeira-cobranca"),
    page("A página de quem paga", "/pt-BR/pagina-do-pagador"),
    page("Vender por um link de pagamento", "/pt-BR/guias/links-de-pagamento"),
    page("Cobranças com vencimento", "/pt-BR/guias/vencimento"),
    page("Pagamentos e suas notas fiscais", "/pt-BR/guias/notas-fiscais"),
    page("Os caixas de um restaurante", "/pt-BR/guias/caixa"),
    page("Webhooks", "/pt-BR/webhooks"),
    page("Webhooks e consulta", "/pt-BR/guias/webhooks-e-consulta"),
    page("Erros", "/pt-BR/erros"),
    page("Marketplace", "/pt-BR/guias/marketplace"),
    page("Saques com aprovação", "/pt-BR/guias/saques"),
    page("Uma semana com uma contestação", "/pt-BR/guias/contestacoes"),
    page("Conciliação", "/pt-BR/guias/conciliacao"),
    page("Pix no WooCommerce", "/pt-BR/guias/woocommerce"),
    page("Migrar", "/pt-BR/guias/migrar"),
  ]),
  group("Operar", [
    page("Operar", "/pt-BR/operar"),
    page("Operação completa", "/pt-BR/operacao-completa"),
    page("Bancos", "/pt-BR/bancos"),
    page("Indo para produção", "/pt-BR/producao"),
    page("Manual de incidentes", "/pt-BR/incidentes"),
    page("Compatibilidade e suporte", "/pt-BR/compatibilidade"),
    page("Subcontas e a lei", "/pt-BR/lei-de-pagamentos"),
  ]),
];
