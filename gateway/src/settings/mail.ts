import { readFileSync } from "node:fs";

/** Where mail goes, and from whom. */
export type MailSettings = {
  /** `smtps://` with TLS from the start; `smtp://` with STARTTLS, which is required unless the server is this machine. */
  readonly url: string;
  readonly from: string;
};

const NAMES = ["PIXGATE_SMTP_URL", "PIXGATE_SMTP_URL_FILE", "PIXGATE_MAIL_FROM"] as const;
/** One address, with a name before it or not. */
const FROM = /^(?:[^<>"\r\n@,;]{1,100} <[^\s<>"@,;]{1,64}@[\w.-]{1,255}>|[^\s<>"@,;]{1,64}@[\w.-]{1,255})$/;

/**
 * Reads `PIXGATE_SMTP_URL` (or the file of `PIXGATE_SMTP_URL_FILE`) and `PIXGATE_MAIL_FROM`; null: no mail is sent.
 *
 * @throws Error that names the setting and never the password in the address.
 */
export function readMail(env: NodeJS.ProcessEnv): MailSettings | null {
  const [given, file, from] = NAMES.map((name) => env[name] || null);
  if (given && file) throw new Error("PIXGATE_SMTP_URL and PIXGATE_SMTP_URL_FILE are set: one is enough");
  const url = given ?? (file ? read(file) : null);
  if (!url && !from) return null;
  if (!url || !from) throw new Error("PIXGATE_SMTP_URL and PIXGATE_MAIL_FROM are set together");
  if (!URL.canParse(url) || !/^smtps?:$/.test(new URL(url).protocol) || new URL(url).hostname === "") {
    throw new Error("PIXGATE_SMTP_URL must be smtps://user:password@host:port or smtp://…");
  }
  if (!FROM.test(from)) throw new Error("PIXGATE_MAIL_FROM must be an address, or Name <address>");
  return Object.freeze({ url, from });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`PIXGATE_SMTP_URL_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
