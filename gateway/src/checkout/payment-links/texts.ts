import type { Language } from "../texts.ts";
import type { Wrong } from "./form.ts";
import type { LinkStatus } from "./link.ts";

/** The words of a link's page. `{least}` and `{most}` are sums, `{name}` is the seller. */
export type LinkTexts = {
  readonly toPay: string;
  readonly amount: string;
  readonly between: string;
  readonly atLeast: string;
  readonly optional: string;
  readonly pay: string;
  readonly next: string;
  readonly check: string;
  readonly wrong: Readonly<Record<Wrong, string>>;
  /** The heading and the explanation of a link that makes no charge. */
  readonly ended: Readonly<Record<Exclude<LinkStatus, "active">, readonly [string, string]>>;
};

export const LINK_TEXTS: Readonly<Record<Language, LinkTexts>> = {
  "pt-BR": {
    toPay: "Total a pagar",
    amount: "Quanto você quer pagar, em reais",
    between: "De {least} a {most}",
    atLeast: "A partir de {least}",
    optional: "opcional",
    pay: "Pagar com Pix",
    next: "Na próxima página está o código Pix. Nada é cobrado antes de você pagar no aplicativo do seu banco.",
    check: "Confira o que está marcado abaixo.",
    wrong: {
      missing: "Preencha este campo.",
      tooLong: "Use no máximo 200 caracteres.",
      unreadable: "Apague os caracteres que não aparecem e escreva de novo.",
      email: "Escreva um e-mail, como nome@exemplo.com.",
      document: "Este CPF ou CNPJ não existe: confira os números.",
      phone: "Escreva um telefone com DDD.",
      amount: "Escreva um valor, como 25,90.",
      range: "Este valor não é aceito aqui.",
    },
    ended: {
      sold_out: [
        "Esgotado",
        "Não há mais vagas ou unidades. Se você já pagou e o pagamento não foi aceito, o valor volta para a sua conta.",
      ],
      expired: ["Link encerrado", "O prazo deste link acabou. Peça outro a {name}."],
      disabled: ["Link fora do ar", "Este link não aceita pagamentos agora. Fale com {name}."],
    },
  },
  en: {
    toPay: "Amount to pay",
    amount: "How much you want to pay, in reais",
    between: "From {least} to {most}",
    atLeast: "From {least}",
    optional: "optional",
    pay: "Pay with Pix",
    next: "The next page has the Pix code. Nothing is charged before you pay in your bank's app.",
    check: "Check what is marked below.",
    wrong: {
      missing: "Fill in this field.",
      tooLong: "Use at most 200 characters.",
      unreadable: "Remove the characters that are not shown, and write it again.",
      email: "Write an e-mail address, such as name@example.com.",
      document: "There is no such CPF or CNPJ: check the numbers.",
      phone: "Write a phone number with its area code.",
      amount: "Write an amount, such as 25.90.",
      range: "This amount is not taken here.",
    },
    ended: {
      sold_out: [
        "Sold out",
        "There are no places or units left. If you have paid and it was not accepted, the money goes back to your account.",
      ],
      expired: ["Link ended", "The time of this link is over. Ask {name} for another."],
      disabled: ["Link not available", "This link takes no payments now. Contact {name}."],
    },
  },
  es: {
    toPay: "Total a pagar",
    amount: "Cuánto quiere pagar, en reales",
    between: "De {least} a {most}",
    atLeast: "A partir de {least}",
    optional: "opcional",
    pay: "Pagar con Pix",
    next: "En la página siguiente está el código Pix. No se cobra nada antes de que pague en la aplicación de su banco.",
    check: "Compruebe lo que está marcado abajo.",
    wrong: {
      missing: "Rellene este campo.",
      tooLong: "Use 200 caracteres como máximo.",
      unreadable: "Borre los caracteres que no se ven y escríbalo de nuevo.",
      email: "Escriba un correo, como nombre@ejemplo.com.",
      document: "Este CPF o CNPJ no existe: compruebe los números.",
      phone: "Escriba un teléfono con su prefijo.",
      amount: "Escriba un importe, como 25,90.",
      range: "Este importe no se acepta aquí.",
    },
    ended: {
      sold_out: [
        "Agotado",
        "No quedan plazas o unidades. Si ya pagó y el pago no fue aceptado, el dinero vuelve a su cuenta.",
      ],
      expired: ["Enlace terminado", "El plazo de este enlace acabó. Pida otro a {name}."],
      disabled: ["Enlace no disponible", "Este enlace no acepta pagos ahora. Hable con {name}."],
    },
  },
};
