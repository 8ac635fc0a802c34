import type { Context } from "../context.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { isCnpj, isCpf } from "../lib/documents.ts";
import type { Receiver } from "./payout.ts";

/** Keys that need no entry; the name says what a payout to each meets. */
const OTHER_OWNER = "other-owner@pixgate.test";
const OTHER_NAME = "other-name@pixgate.test";
const UNKNOWN = "unknown@pixgate.test";
/** A key that the directory has blocked. */
export const BLOCKED = "blocked@pixgate.test";
export const FAILS = "fail@pixgate.test";
export const WAITS_FOR_CONTROL = "manual@pixgate.test";

/** Whose the account is: a company that does not exist. */
export const OWNER_DOCUMENT = "11222333000181";
/** A holder who is never the one asked for: a CPF with right check digits that belongs to no person. */
const STRANGER = "11144477735";
/** The name of whoever has no other. */
export const DEFAULT_NAME = "Favorecido Teste";

const EMAIL = /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const PHONE = /^\+[1-9]\d{2,14}$/;
const EVP = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Of whom a payout says that the key is. */
type AskedFor = { readonly document?: string | undefined; readonly name?: string | undefined };

/**
 * The holder of a key: as set by the control API; else a CPF or CNPJ belongs to itself, and any other key to whatever
 * document is asked for, and each to the name that is asked for. Undefined: nobody has it.
 */
export function findHolder(ctx: Context, chave: string, askedFor: AskedFor = {}): Receiver | undefined {
  const entry = ctx.books.state.keys.get(chave);
  if (entry) return entry.holder ? receiver(chave, entry.holder.document, entry.holder.nome) : undefined;
  if (isOwnKey(ctx, chave)) return receiver(chave, OWNER_DOCUMENT, ctx.credentials.ownerName);
  if (chave === UNKNOWN) return undefined;
  if (chave === OTHER_OWNER) return receiver(chave, STRANGER, DEFAULT_NAME);
  const name = chave === OTHER_NAME ? DEFAULT_NAME : (askedFor.name ?? DEFAULT_NAME);
  if (isCpf(chave) || isCnpj(chave)) return receiver(chave, chave, name);
  return EMAIL.test(chave) || PHONE.test(chave) || EVP.test(chave)
    ? receiver(chave, askedFor.document, name)
    : undefined;
}

function receiver(chave: string, document: string | undefined, nome: string): Receiver {
  if (document === undefined) return { chave, nome };
  return document.length === 11 ? { chave, nome, cpf: document } : { chave, nome, cnpj: document };
}

export function documentOf({ cpf, cnpj }: Receiver): string | undefined {
  return cpf ?? cnpj;
}
