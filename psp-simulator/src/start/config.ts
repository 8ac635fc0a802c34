import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { SPOKEN, type Spoken } from "../behaviour/behaviour.ts";
import { readTls, type Tls, type TlsPaths } from "./tls.ts";

export type Config = {
  host: string;
  port: number;
  /** The simulator's own folder: journal, log, credentials. */
  folder: string;
  exitWithStdin: boolean;
  dialect: Spoken;
  /** The certificate of a caller is its only proof: no call needs a token. */
  certificateOnly: boolean;
  /** Where payers reach the page of one charge, and nothing else; left out: nowhere (bank/door.ts). */
  payerAddress?: { readonly host: string; readonly port: number };
  /** How far its clock is ahead of the machine's, in milliseconds. */
  clockOffset: number;
  /** Left out: plain HTTP. */
  tls?: Tls;
};

const DEFAULT_PORT = "8081";

export const USAGE =
  "usage: node psp-simulator/src/main.ts [--port N] [--host 127.0.0.1] [--data-dir DIR] [--exit-with-stdin] [--clock-offset S] [--payer-address HOST:PORT] " +
  "[--dialect bcb|efi|inter] [--tls-cert PEM --tls-key PEM [--tls-client-ca PEM [--certificate-only]] [--callback-ca PEM]]";

/** Reads arguments, then environment; throws one clear line when a setting is wrong. */
export function readConfig(args: string[], env: NodeJS.ProcessEnv): Config {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      "data-dir": { type: "string" },
      "exit-with-stdin": { type: "boolean" },
      dialect: { type: "string" },
      "clock-offset": { type: "string" },
      "payer-address": { type: "string" },
      "certificate-only": { type: "boolean" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "tls-client-ca": { type: "string" },
      "callback-ca": { type: "string" },
    },
  });
  const portText = values.port ?? (env.PIXGATE_SIMULATOR_PORT || DEFAULT_PORT);
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > 65_535) {
    throw new Error(`the port must be a number from 0 to 65535, not "${portText}"`);
  }
  const folder = values["data-dir"] ?? join(env.PIXGATE_DATA_DIR || ".pixgate", "simulator");
  if (folder === "") throw new Error("--data-dir must not be empty");
  const dialect = SPOKEN.find((known) => known === (values.dialect ?? "bcb"));
  if (dialect === undefined) throw new Error(`--dialect must be ${SPOKEN.join(" or ")}, not "${values.dialect}"`);
  const offset = values["clock-offset"] ?? "0";
  if (!/^-?\d{1,9}$/.test(offset)) throw new Error(`--clock-offset must be a number of seconds, not "${offset}"`);
  const paths: TlsPaths = {};
  if (values["tls-cert"] !== undefined) paths.cert = values["tls-cert"];
  if (values["tls-key"] !== undefined) paths.key = values["tls-key"];
  if (values["tls-client-ca"] !== undefined) paths.clientCa = values["tls-client-ca"];
  if (values["callback-ca"] !== undefined) paths.callbackCa = values["callback-ca"];
  const tls = readTls(paths);
  const certificateOnly = values["certificate-only"] ?? false;
  if (certificateOnly && !tls?.clientCa) throw new Error("--certificate-only needs --tls-client-ca");
  const payerAddress = values["payer-address"];
  return {
    ...(tls ? { tls } : {}),
    ...(payerAddress === undefined ? {} : { payerAddress: readAddress(payerAddress) }),
    host: values.host ?? "127.0.0.1",
    port,
    folder: resolve(folder),
    dialect,
    certificateOnly,
    clockOffset: Number(offset) * 1_000,
    exitWithStdin: values["exit-with-stdin"] ?? false,
  };
}

/** `192.0.2.1:8082` or `[2001:db8::1]:8082`. */
function readAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new Error(`--payer-address must be HOST:PORT, not "${text}"`);
  return { host: (bracketed ?? plain)!, port: Number(port) };
}
