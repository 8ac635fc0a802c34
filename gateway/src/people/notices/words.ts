import type { Notice } from "./list.ts";
import type { Noticed } from "./note.ts";

export type Language = "pt-BR" | "en";

/**
 * Each action in words. They quote nothing that other people or browsers wrote, because a mail must not carry a stranger's
 * text.
 */
const WORDS: Readonly<Record<Language, Readonly<Record<Noticed, string>>>> = {
  "pt-BR": {
    "person.authenticator": "aplicativo autenticador ligado",
    "person.authenticator-removed": "aplicativo autenticador retirado",
    "person.invite": "convite criado em seu nome",
    "person.join": "convite aceito",
    "person.passkey": "chave de acesso adicionada",
    "person.passkey-copied": "uso recusado de uma chave de acesso que parece copiada",
    "person.passkey-removed": "chave de acesso retirada",
    "person.passkey-renamed": "chave de acesso renomeada",
    "person.password": "senha escolhida",
    "person.recover": "link de recuperação criado para você",
    "person.recovery-codes": "códigos de recuperação trocados",
    "person.remove": "papel retirado",
    "person.reset": "acesso recuperado; os meios de entrada de antes terminaram",
    "person.role": "papel alterado",
    "person.second-factor-failed": "senha certa com um segundo fator errado",
    "person.session-ended": "outras sessões encerradas",
    "person.sign-in": "entrada",
    "person.sign-out": "saída",
    "person.uninvite": "convite retirado em seu nome",
    "person.unrecover": "link de recuperação retirado",
  },
  en: {
    "person.authenticator": "authenticator app added",
    "person.authenticator-removed": "authenticator app removed",
    "person.invite": "invitation made in your name",
    "person.join": "invitation accepted",
    "person.passkey": "passkey added",
    "person.passkey-copied": "use of a passkey refused that looks like a copy",
    "person.passkey-removed": "passkey removed",
    "person.passkey-renamed": "passkey renamed",
    "person.password": "password chosen",
    "person.recover": "recovery link made for you",
    "person.recovery-codes": "recovery codes replaced",
    "person.remove": "role removed",
    "person.reset": "access recovered; what signed in before has ended",
    "person.role": "role changed",
    "person.second-factor-failed": "right password with a wrong second factor",
    "person.session-ended": "other sessions ended",
    "person.sign-in": "sign-in",
    "person.sign-out": "sign-out",
    "person.uninvite": "invitation withdrawn in your name",
    "person.unrecover": "recovery link withdrawn",
  },
};

const BY: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  "pt-BR": { link: "por um link", passkey: "com chave de acesso", password: "com senha", provider: "no provedor" },
  en: { link: "by a link", passkey: "with a passkey", password: "with a password", provider: "at the provider" },
};

const TEXTS = {
  "pt-BR": {
    subject: "Pixgate: o que aconteceu com o seu acesso",
    lead: "Isto aconteceu com o seu acesso ao Pixgate:",
    from: "de",
    end: (url: string) =>
      `Se não foi você, encerre as outras sessões e escolha outra senha em ${url}, e avise quem cuida da instalação.\nEste e-mail não contém links de acesso, e ninguém vai pedir sua senha.`,
  },
  en: {
    subject: "Pixgate: what happened to your access",
    lead: "This happened to your access to Pixgate:",
    from: "from",
    end: (url: string) =>
      `If this was not you, end the other sessions and choose another password at ${url}, and tell whoever runs the installation.\nThis mail holds no link that signs in, and nobody will ask for your password.`,
  },
} as const;

/** A mail about notices, the oldest first: subject and text. */
export function mailOf(
  language: Language,
  notices: readonly Pick<Notice, "action" | "details" | "at">[],
  consoleUrl: string,
): { readonly subject: string; readonly text: string } {
  const { subject, lead, from, end } = TEXTS[language];
  const format = new Intl.DateTimeFormat(language, {
    ...{ dateStyle: "short", timeStyle: "short", timeZone: "America/Sao_Paulo" },
  });
  const lines = notices.map(({ action, details: { by, address }, at }) => {
    const how = (by && BY[language][by]) ?? null;
    const where = address ? `${from} ${address}` : null;
    return `- ${format.format(at)}: ${[WORDS[language][action], how, where].filter(Boolean).join(", ")}`;
  });
  return { subject, text: [lead, "", ...lines, "", end(`${consoleUrl}/console/settings`), ""].join("\n") };
}
