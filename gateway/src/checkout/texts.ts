/** The words of payers' pages, in the three languages that a payer may read. */

export type Language = "pt-BR" | "en" | "es";

/**
 * `{name}` is who receives; in a step and in the warning as the payer's bank names them, in the ended states as the seller.
 * `{when}` is an instant, `{paid}` and `{amount}` are sums.
 */
export type Texts = {
  /** Of the page in every state, for a messenger that shows what an address leads to. */
  readonly about: string;
  readonly toPay: string;
  /** `{day}`: the due date. */
  readonly due: string;
  readonly waiting: string;
  readonly until: string;
  /** `{time}`: what is left, as a clock in the last hour. */
  readonly left: string;
  readonly copy: string;
  readonly copied: string;
  /** Neither way of copying worked: the code stands selected. */
  readonly notCopied: string;
  readonly code: string;
  readonly steps: readonly [string, string, string];
  readonly scan: string;
  readonly picture: string;
  /** Of a charge that expired at `{when}`. */
  readonly expiredAt: string;
  readonly seller: string;
  readonly warning: string;
  readonly watched: string;
  readonly refresh: string;
  readonly reload: string;
  readonly offline: string;
  readonly sandbox: string;
  readonly simulatedBank: string;
  /** The heading and the explanation of a state without a code to pay. */
  readonly ended: Readonly<
    Record<"paid" | "paid_late" | "expired" | "cancelled" | "sold_out" | "returned", readonly [string, string]>
  >;
  /** The explanation of an expired charge whose payment link makes another, and the button that leads there. */
  readonly another: readonly [string, string];
  /** Of a payment of which everything has gone back. */
  readonly givenBack: readonly [string, string];
  readonly partly: string;
  /** The way back to the merchant, and that the page takes it by itself after `{seconds}`. */
  readonly back: string;
  readonly backSoon: string;
  readonly help: string;
  readonly receipt: Readonly<
    Record<"title" | "to" | "amount" | "when" | "returned" | "returnedOn" | "what" | "id" | "print" | "pdf", string>
  >;
  /** By HTTP status; the last for every other. */
  readonly errors: Readonly<Record<"404" | "429" | "other", readonly [string, string]>>;
};

const PORTUGUESE: Texts = {
  about: "Uma página de pagamento por Pix.",
  toPay: "Total a pagar",
  due: "Vencimento em {day}. O valor é o de hoje; quem confirma é o banco.",
  waiting: "Esperando o pagamento",
  until: "até {when}",
  left: "expira em {time}",
  copy: "Copiar código Pix",
  copied: "Código copiado",
  notCopied: "Copie o código selecionado",
  code: "Código Pix, para o Copia e Cola",
  steps: ["Abra o aplicativo do seu banco", "Escolha Pix, depois Copia e Cola", "Confira o nome {name} e pague"],
  scan: "ou leia com o aplicativo do banco",
  expiredAt: "Expirou em {when}",
  picture: "QR code deste Pix",
  seller: "Quem vende",
  warning:
    "Antes de pagar, confira no aplicativo do banco o nome {name} e o valor. Se forem outros, não pague. Para receber um Pix ninguém precisa da sua senha nem de um código seu.",
  watched: "Esta página muda sozinha quando o Pix chega.",
  refresh: "Já pagou? Atualize esta página",
  reload: "Atualizar esta página",
  offline: "Sem conexão. Se você já pagou, não pague de novo: esta página volta a consultar sozinha.",
  sandbox: "Ambiente de testes: o dinheiro não é de verdade.",
  simulatedBank: "Pagar no banco simulado",
  ended: {
    paid: ["Pago", "{name} recebeu o seu Pix. Você pode fechar esta página."],
    paid_late: [
      "Pago com atraso",
      "O Pix chegou depois que a cobrança expirou ou foi cancelada, e foi aceito. Não pague de novo.",
    ],
    expired: [
      "Cobrança expirada",
      "Não pague mais com este código: peça outro a {name}. Se você já pagou, esta página mostra o pagamento quando o banco o confirmar.",
    ],
    cancelled: [
      "Cobrança cancelada",
      "Não pague mais com este código. Se você já pagou, esta página mostra o pagamento quando o banco o confirmar.",
    ],
    sold_out: [
      "Esgotado",
      "Outra pessoa pagou a última unidade. Não pague com este código: se você já pagou, o valor volta para a sua conta.",
    ],
    returned: [
      "Pix não aceito",
      "O valor volta para a conta de onde saiu. Não pague de novo com este código: fale com {name}.",
    ],
  },
  another: [
    "Não pague mais com este código. Se você já pagou, não pague de novo: esta página mostra o pagamento quando o banco o confirmar. Se ainda não pagou, gere outro.",
    "Gerar outro código",
  ],
  givenBack: ["Devolvido", "O valor pago voltou para a conta de onde saiu. Veja no extrato do seu banco."],
  partly: "{paid} pagos de {amount}",
  back: "Voltar para {name}",
  backSoon: "Você volta em {seconds} segundos. Toque na página para ficar nela.",
  help: "Ajuda",
  receipt: {
    title: "Comprovante",
    to: "Quem recebeu",
    amount: "Valor",
    when: "Pago em",
    returned: "Devolvido",
    returnedOn: "Devolvido em",
    what: "Descrição",
    id: "Identificador",
    print: "Imprimir o comprovante",
    pdf: "Baixar em PDF",
  },
  errors: {
    404: ["Página não encontrada", "Confira o endereço com quem o enviou a você."],
    429: ["Visitas demais", "Espere alguns segundos e atualize esta página."],
    other: ["Não foi possível mostrar a cobrança", "Espere alguns segundos e atualize esta página."],
  },
};

const ENGLISH: Texts = {
  about: "A page for a payment by Pix.",
  toPay: "Amount to pay",
  due: "Due on {day}. The amount is today's; the bank has the last word.",
  waiting: "Waiting for the payment",
  until: "until {when}",
  left: "expires in {time}",
  copy: "Copy the Pix code",
  copied: "Code copied",
  notCopied: "Copy the selected code",
  code: "Pix code, for Copia e Cola",
  steps: ["Open your bank's app", "Choose Pix, then Copia e Cola", "Check the name {name} and pay"],
  scan: "or scan it with your bank's app",
  expiredAt: "It expired on {when}",
  picture: "QR code of this Pix",
  seller: "Seller",
  warning:
    "Before you pay, check the name {name} and the amount in your bank's app. If they differ, do not pay. Nobody needs your password or a code of yours to receive a Pix.",
  watched: "This page changes by itself when the Pix arrives.",
  refresh: "Have you paid? Reload this page",
  reload: "Reload this page",
  offline: "No connection. If you have paid already, do not pay again: this page keeps checking by itself.",
  sandbox: "Test environment: no real money.",
  simulatedBank: "Pay at the simulated bank",
  ended: {
    paid: ["Paid", "{name} has received your Pix. You can close this page."],
    paid_late: [
      "Paid late",
      "The Pix came after the charge had expired or been cancelled, and was accepted. Do not pay again.",
    ],
    expired: [
      "Charge expired",
      "Do not pay with this code any more: ask {name} for another. If you have paid already, this page shows it as soon as the bank confirms it.",
    ],
    cancelled: [
      "Charge cancelled",
      "Do not pay with this code any more. If you have paid already, this page shows it as soon as the bank confirms it.",
    ],
    sold_out: [
      "Sold out",
      "Somebody else has paid for the last one. Do not pay with this code: if you have paid already, the money goes back to your account.",
    ],
    returned: [
      "Pix not accepted",
      "The money goes back to the account that it came from. Do not pay with this code again: contact {name}.",
    ],
  },
  another: [
    "Do not pay with this code any more. If you have paid already, do not pay again: this page shows it as soon as the bank confirms it. If you have not paid, get a new code.",
    "Get a new code",
  ],
  givenBack: ["Returned", "What was paid has gone back to the account that it came from. See your bank's statement."],
  partly: "{paid} paid of {amount}",
  back: "Back to {name}",
  backSoon: "You go back in {seconds} seconds. Touch the page to stay on it.",
  help: "Help",
  receipt: {
    title: "Receipt",
    to: "Receiver",
    amount: "Amount",
    when: "Paid on",
    returned: "Returned",
    returnedOn: "Returned on",
    what: "Description",
    id: "Identifier",
    print: "Print the receipt",
    pdf: "Download as PDF",
  },
  errors: {
    404: ["Page not found", "Check the address with whoever sent it to you."],
    429: ["Too many visits", "Wait a few seconds and reload this page."],
    other: ["The charge could not be shown", "Wait a few seconds and reload this page."],
  },
};

const SPANISH: Texts = {
  about: "Una página de pago con Pix.",
  toPay: "Total a pagar",
  due: "Vence el {day}. El importe es el de hoy; lo confirma el banco.",
  waiting: "Esperando el pago",
  until: "hasta {when}",
  left: "vence en {time}",
  copy: "Copiar el código Pix",
  copied: "Código copiado",
  notCopied: "Copie el código seleccionado",
  code: "Código Pix, para Copia e Cola",
  steps: ["Abra la aplicación de su banco", "Elija Pix y luego Copia e Cola", "Compruebe el nombre {name} y pague"],
  scan: "o escanéelo con la aplicación del banco",
  expiredAt: "Venció el {when}",
  picture: "Código QR de este Pix",
  seller: "Quién vende",
  warning:
    "Antes de pagar, compruebe el nombre {name} y el importe en la aplicación del banco. Si son otros, no pague. Para recibir un Pix nadie necesita su contraseña ni un código suyo.",
  watched: "Esta página cambia sola cuando llega el Pix.",
  refresh: "¿Ya pagó? Actualice esta página",
  reload: "Actualizar esta página",
  offline: "Sin conexión. Si ya pagó, no pague de nuevo: esta página vuelve a consultar sola.",
  sandbox: "Entorno de pruebas: el dinero no es real.",
  simulatedBank: "Pagar en el banco simulado",
  ended: {
    paid: ["Pagado", "{name} recibió su Pix. Puede cerrar esta página."],
    paid_late: [
      "Pagado con retraso",
      "El Pix llegó después de que el cobro venciera o se cancelara, y fue aceptado. No pague de nuevo.",
    ],
    expired: [
      "Cobro vencido",
      "No pague más con este código: pida otro a {name}. Si ya pagó, esta página muestra el pago cuando el banco lo confirme.",
    ],
    cancelled: [
      "Cobro cancelado",
      "No pague más con este código. Si ya pagó, esta página muestra el pago cuando el banco lo confirme.",
    ],
    sold_out: [
      "Agotado",
      "Otra persona pagó la última unidad. No pague con este código: si ya pagó, el dinero vuelve a su cuenta.",
    ],
    returned: [
      "Pix no aceptado",
      "El dinero vuelve a la cuenta de la que salió. No pague de nuevo con este código: hable con {name}.",
    ],
  },
  another: [
    "No pague más con este código. Si ya pagó, no pague de nuevo: esta página muestra el pago cuando el banco lo confirme. Si aún no pagó, genere otro.",
    "Generar otro código",
  ],
  givenBack: ["Devuelto", "El importe pagado volvió a la cuenta de la que salió. Véalo en el extracto de su banco."],
  partly: "{paid} pagados de {amount}",
  back: "Volver a {name}",
  backSoon: "Vuelve en {seconds} segundos. Toque la página para quedarse en ella.",
  help: "Ayuda",
  receipt: {
    title: "Recibo",
    to: "Quién recibió",
    amount: "Importe",
    when: "Pagado el",
    returned: "Devuelto",
    returnedOn: "Devuelto el",
    what: "Descripción",
    id: "Identificador",
    print: "Imprimir el recibo",
    pdf: "Descargar en PDF",
  },
  errors: {
    404: ["Página no encontrada", "Compruebe la dirección con quien se la envió."],
    429: ["Demasiadas visitas", "Espere unos segundos y actualice esta página."],
    other: ["No se pudo mostrar el cobro", "Espere unos segundos y actualice esta página."],
  },
};

export const TEXTS: Readonly<Record<Language, Texts>> = { "pt-BR": PORTUGUESE, en: ENGLISH, es: SPANISH };

// A map: the tag is a stranger's text, and `constructor` is a property of every object.
const BY_TAG: ReadonlyMap<string, Language> = new Map([
  ["pt", "pt-BR"],
  ["en", "en"],
  ["es", "es"],
]);
/** Characters of an Accept-Language header that are read: a browser's has fewer. */
const HEADER_LENGTH = 256;

/** The language of an Accept-Language header; where it names none of ours `standard`, or Portuguese. */
export function languageOf(header: string | undefined, standard: Language | null = null): Language {
  const wanted = (header ?? "")
    .slice(0, HEADER_LENGTH)
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      const weight = quality === undefined ? 1 : Number(quality);
      return { language: BY_TAG.get(tag.split("-")[0]!), weight: Number.isFinite(weight) ? weight : 0 };
    });
  const ours = wanted.filter(({ language, weight }) => language !== undefined && weight > 0);
  return ours.sort((a, b) => b.weight - a.weight)[0]?.language ?? standard ?? "pt-BR";
}
