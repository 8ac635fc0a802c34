import { randomUUID } from "node:crypto";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";

/** The directory lets a company have as many. */
const MOST_KEYS = 20;

export const isOwnKey = ({ credentials, books }: Context, chave: string): boolean =>
  chave === credentials.pixKey || books.state.ownKeys.has(chave);

const allOf = ({ credentials, books }: Context): string[] => [credentials.pixKey, ...books.state.ownKeys];

/** Efí's `POST /gn/evp`: a further random key of the account. */
export function postEvp(ctx: Context): Answer {
  if (allOf(ctx).length >= MOST_KEYS) {
    return efiError(409, "chave_limite_atingido", `A conta já possui ${MOST_KEYS} chaves Pix`);
  }
  const chave = randomUUID();
  record(ctx.books, { ownKey: chave, note: note(ctx.log, "evp.post", { chave, result: 201 }) });
  return json(201, { chave });
}

/** `GET /gn/evp`. */
export const listEvp = (ctx: Context): Answer => json(200, { chaves: allOf(ctx) });

/** `DELETE /gn/evp/{chave}`. The account's first key cannot be deleted: the simulator knows the account by it. */
export function deleteEvp(ctx: Context, { params }: Call): Answer {
  const chave = params.chave!;
  if (!ctx.books.state.ownKeys.has(chave)) {
    return efiError(
      400,
      "chave_invalida",
      "A chave informada não é uma chave aleatória desta conta que possa ser removida",
    );
  }
  record(ctx.books, { ownKeyRemoved: chave, note: note(ctx.log, "evp.delete", { chave, result: 204 }) });
  return { status: 204 };
}

/** Efí's `GET /gn/chaves/balde`: how many look-ups of keys are left. This PSP counts none. */
export function getBucket(): Answer {
  const bucket = { capacidade: 100, fichasDisponiveis: 100, taxaDeReposicaoFichas: 2, periodoReposicaoEmSegundos: 60 };
  return json(200, {
    baldeA: { tiposChave: ["cpf", "cnpj", "evp"], ...bucket },
    baldeB: { tiposChave: ["telefone", "email"], ...bucket },
  });
}
