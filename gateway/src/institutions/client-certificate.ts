import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { CertificateSettings } from "../psp/fields.ts";

/** Extended key usage "TLS client", RFC 5280 section 4.2.1.12. */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Refuses a client certificate that a bank could not accept: its key does not match, its chain is broken, it has ended or
 * has not begun, or it is not for clients. Without a certificate there is nothing to check.
 *
 * @throws TypeError that names the setting (`name: what is wrong with it`), never a value.
 */
export function checkClientCertificate(config: CertificateSettings, now: Date): void {
  const { certificate, privateKey, p12, ca } = config;
  if (ca !== undefined) for (const authority of readChain("ca", ca)) checkDates("ca", authority, now);
  if (certificate === undefined && privateKey !== undefined) {
    throw new TypeError("certificate: is missing for the privateKey");
  }
  if (certificate !== undefined) {
    const chain = readChain("certificate", certificate);
    if (privateKey === undefined) throw new TypeError("privateKey: is missing for the certificate");
    if (!chain[0]!.checkPrivateKey(readKey(privateKey, config.passphrase))) {
      throw new TypeError("privateKey: belongs to another certificate");
    }
    checkChain(chain);
    for (const link of chain) checkDates("certificate", link, now);
    checkPurpose("certificate", chain[0]!);
  }
  if (p12 === undefined) return;
  // OpenSSL refuses a PKCS#12 whose key does not match its certificate when it opens it.
  const leaf = readP12(p12, config.passphrase ?? "");
  if (leaf === null) throw new TypeError("p12: holds no certificate");
  checkDates("p12", leaf, now);
  checkPurpose("p12", leaf);
}

/** When the client certificate ends; null without one. Throws a TypeError for one that cannot be read. */
export function certificateExpiry({ certificate, p12, passphrase }: CertificateSettings): Date | null {
  const leaf =
    certificate !== undefined
      ? readChain("certificate", certificate)[0]!
      : p12 === undefined
        ? null
        : readP12(p12, passphrase ?? "");
  return leaf?.validToDate ?? null;
}

/** The certificates of a PEM text, the holder's first. */
function readChain(setting: string, pem: string): X509Certificate[] {
  try {
    const chain = (pem.match(PEM) ?? []).map((certificate) => new X509Certificate(certificate));
    if (chain.length > 0) return chain;
  } catch {}
  throw new TypeError(`${setting}: is not a certificate in PEM`);
}

function readKey(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    throw new TypeError("privateKey: cannot be read; is it a private key in PEM, and the passphrase right?");
  }
}

/** Every certificate must be signed by the next one; the bank checks the issuer of the last. */
function checkChain(chain: readonly X509Certificate[]): void {
  for (const [i, issuer] of chain.slice(1).entries()) {
    const issued = chain[i]!;
    if (issued.checkIssued(issuer) && issued.verify(issuer.publicKey)) continue;
    throw new TypeError(
      `certificate: its chain is broken: certificate ${i + 2} has not signed certificate ${i + 1}; the holder's comes first, then each issuer`,
    );
  }
}

function checkDates(setting: string, { validFromDate, validToDate }: X509Certificate, now: Date): void {
  const day = (at: Date) => at.toISOString().slice(0, 10);
  if (validToDate <= now) throw new TypeError(`${setting}: ended on ${day(validToDate)}; the bank issues a new one`);
  if (validFromDate > now) throw new TypeError(`${setting}: is not valid before ${validFromDate.toISOString()}`);
}

/** A certificate without named purposes may be used for all. */
function checkPurpose(setting: string, { keyUsage: purposes }: X509Certificate): void {
  if ((purposes as string[] | undefined)?.includes(CLIENT_AUTH) === false) {
    throw new TypeError(`${setting}: is not for TLS clients (extended key usage clientAuth), but for servers`);
  }
}

/** Node opens PKCS#12 only for TLS, and the resulting context contains the certificate; Node has no other reader. */
function readP12(p12: string, passphrase: string): X509Certificate | null {
  const opened = openP12(p12, passphrase);
  const { getCertificate } = opened.context as { getCertificate?: () => Buffer | undefined };
  const der = getCertificate?.call(opened.context);
  return der ? new X509Certificate(der) : null;
}

function openP12(p12: string, passphrase: string): ReturnType<typeof createSecureContext> {
  try {
    return createSecureContext({ pfx: Buffer.from(p12, "base64"), passphrase });
  } catch {
    throw new TypeError(
      "p12: cannot be opened; is it PKCS#12 in base64, with the key of its certificate, and the passphrase right?",
    );
  }
}
