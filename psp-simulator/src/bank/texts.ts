import type { Refusal } from "./offer.ts";

/** What the page says. */
export type Texts = {
  readonly lang: "en" | "pt-BR";
  readonly title: string;
  readonly note: string;
  readonly code: string;
  readonly read: string;
  readonly camera: string;
  readonly picture: string;
  readonly noCode: string;
  readonly noCamera: string;
  readonly receiver: string;
  readonly amount: string;
  readonly message: string;
  readonly pay: string;
  readonly again: string;
  readonly paid: string;
  readonly badAmount: string;
  readonly dueDate: string;
  readonly payOn: string;
  readonly payOnNote: string;
  readonly recompute: string;
  readonly parts: Readonly<Record<"original" | "multa" | "juros" | "desconto" | "abatimento" | "total", string>>;
  readonly refused: Readonly<Record<Refusal, string>>;
  readonly date: string;
  readonly e2eId: string;
};

const EN: Texts = {
  lang: "en",
  title: "Pay with Pix",
  note: "The app of a simulated bank: no real money moves.",
  code: "Pix code (copy and paste)",
  read: "Continue",
  camera: "Scan with the camera",
  picture: "Or choose a picture of a QR code",
  noCode: "No QR code was found in the picture.",
  noCamera: "The camera cannot be used here. Paste the code, or choose a picture.",
  receiver: "Receiver",
  amount: "Amount (R$)",
  message: "Message",
  pay: "Pay",
  again: "Pay another code",
  paid: "Paid",
  badAmount: "Enter an amount such as 12.34.",
  dueDate: "Due date",
  payOn: "Pay as on",
  payOnNote: "The bank asks for what it costs on this day. The money arrives now.",
  recompute: "Show the amount",
  parts: {
    original: "Asked for",
    multa: "Fine",
    juros: "Interest",
    desconto: "Discount",
    abatimento: "Abatement",
    total: "To pay",
  },
  refused: {
    unreadable: "This is not a Pix code, or a part of it is missing.",
    elsewhere: "This code is of another bank. Only codes of this simulated bank can be paid here.",
    nothing: "There is nothing to pay: no charge stands on this code now.",
    paid: "This charge is paid already.",
    removed: "This charge was cancelled by the receiver.",
    expired: "This charge has expired.",
  },
  date: "Date",
  e2eId: "Transaction id",
};

const PT: Texts = {
  lang: "pt-BR",
  title: "Pagar com Pix",
  note: "Aplicativo de um banco simulado: o dinheiro não é de verdade.",
  code: "Código Pix (copia e cola)",
  read: "Continuar",
  camera: "Ler com a câmera",
  picture: "Ou escolha uma imagem com o QR Code",
  noCode: "Nenhum QR Code foi encontrado na imagem.",
  noCamera: "A câmera não pode ser usada aqui. Cole o código ou escolha uma imagem.",
  receiver: "Quem recebe",
  amount: "Valor (R$)",
  message: "Mensagem",
  pay: "Pagar",
  again: "Pagar outro código",
  paid: "Pago",
  badAmount: "Digite um valor como 12,34.",
  dueDate: "Vencimento",
  payOn: "Pagar como se fosse em",
  payOnNote: "O banco cobra o que custa nesse dia. O dinheiro chega agora.",
  recompute: "Ver o valor",
  parts: {
    original: "Valor cobrado",
    multa: "Multa",
    juros: "Juros",
    desconto: "Desconto",
    abatimento: "Abatimento",
    total: "A pagar",
  },
  refused: {
    unreadable: "Isto não é um código Pix, ou falta uma parte dele.",
    elsewhere: "Este código é de outro banco. Aqui só se pagam códigos deste banco simulado.",
    nothing: "Não há nada a pagar: nenhuma cobrança está neste código agora.",
    paid: "Esta cobrança já foi paga.",
    removed: "Esta cobrança foi cancelada por quem recebe.",
    expired: "Esta cobrança expirou.",
  },
  date: "Data",
  e2eId: "Id da transação",
};

/** Portuguese where the visitor reads it before English. */
export function textsFor(languages: string | undefined): Texts {
  const first = /\b(pt|en)\b/i.exec(languages ?? "")?.[1]?.toLowerCase();
  return first === "pt" ? PT : EN;
}
