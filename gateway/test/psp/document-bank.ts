/**
 * A bank made of the Central Bank's description alone. It judges each call by the description, and answers with what the
 * description requires and what was asked for, and nothing beside it: it forgives less and tells less than the simulator.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fits, type Json, judge, pathOf, resolve, standard } from "./standard-document.ts";

/** What a handler of a call knows, and what it gives: the facts that fill the answer; null: there is no such object. */
type Handle = (ids: readonly string[], body: Json, query: URLSearchParams) => Json | null;

/** The properties of a schema with all its parts, and which of them are required. */
function partsOf(schema: Json): { properties: Record<string, Json>; required: Set<string> } {
  const { allOf = [], properties = {}, required = [] } = resolve(schema);
  const parts = [...(allOf as Json[]).map(partsOf), { properties, required: new Set<string>(required) }];
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: new Set(parts.flatMap((part) => [...part.required])),
  };
}

/** A value of a schema: what is known, and of what is not known only what is required, as the description's examples have it. */
function fill(schema: Json, known: Json): Json {
  const of = resolve(schema);
  // Either of several forms: whoever asked has chosen.
  if (of.oneOf !== undefined) return known;
  const { properties, required } = partsOf(of);
  // It requires a location of a charge with a due date, and describes none.
  const names = [...new Set([...Object.keys(properties), ...required])];
  if (names.length > 0) {
    const needed = names.filter((name) => known?.[name] !== undefined || required.has(name));
    return Object.fromEntries(needed.map((name) => [name, fill(properties[name] ?? {}, known?.[name])]));
  }
  if (of.type === "array") return (known ?? []).map((one: Json) => fill(of.items, one));
  if (known !== undefined) return known;
  const inner = (of.allOf ?? []).map((one: Json) => fill(one, undefined)).find((one: Json) => one !== undefined);
  if (inner !== undefined) return inner;
  if (of.example !== undefined) return of.example;
  if (of.format === "date-time") return new Date().toISOString();
  return of.enum?.[0] ?? (of.type === "integer" ? 0 : undefined);
}

/** @param shown of a charge, what the description leaves to the bank and this bank shows. */
export async function startDocumentBank({
  shown = [],
}: {
  readonly shown?: readonly ("location" | "pixCopiaECola")[];
}) {
  const [charges, pix, returns] = [new Map<string, Json>(), new Map<string, Json>(), new Map<string, Json>()];
  const locations = new Map<string, Json>();
  const problems: string[] = [];
  let webhookUrl: string | undefined;
  let count = 0;
  const facts = {
    location: (txid: string) => `bank.example/qr/v2/${txid}`,
    pixCopiaECola: (txid: string) => `00020101021226${txid}`,
  };
  const put =
    (kind: string): Handle =>
    ([txid], body) => {
      const before = charges.get(txid!) ?? { kind, calendario: { criacao: new Date().toISOString() }, revisao: -1 };
      const more = Object.fromEntries(shown.map((name) => [name, facts[name](txid!)]));
      const receiver = kind === "cobv" && { recebedor: RECEIVER, location: facts.location(txid!) };
      const debtor = kind === "cobv" && { devedor: { ...ADDRESS, ...body.devedor } };
      const own = { ...before, ...body, ...debtor, ...receiver, ...more, txid, status: "ATIVA" };
      const { expiracao = 86_400 } = body.calendario ?? {};
      own.calendario = {
        ...before.calendario,
        ...(kind === "cob" ? { expiracao } : { validadeAposVencimento: 30 }),
        ...body.calendario,
      };
      own.revisao = before.revisao + 1;
      charges.set(txid!, own);
      return own;
    };
  const find = (kind: string) => (txid: string) => {
    const own = charges.get(txid);
    return own?.kind === kind ? own : null;
  };
  const patch =
    (kind: string): Handle =>
    ([txid], body) => {
      const own = find(kind)(txid!);
      if (own === null) return null;
      const calendario = { ...own.calendario, ...body.calendario };
      charges.set(txid!, { ...own, ...body, calendario, revisao: own.revisao + 1 });
      return charges.get(txid!);
    };
  const pages = (query: URLSearchParams, items: readonly Json[]) => ({
    inicio: query.get("inicio"),
    fim: query.get("fim"),
    paginacao: { paginaAtual: 0, itensPorPagina: 1_000, quantidadeDePaginas: 1, quantidadeTotalDeItens: items.length },
  });
  const handles: Readonly<Record<string, Handle>> = {
    "PUT /cob/{txid}": put("cob"),
    "GET /cob/{txid}": ([txid]) => find("cob")(txid!),
    "PATCH /cob/{txid}": patch("cob"),
    "PUT /cobv/{txid}": put("cobv"),
    "GET /cobv/{txid}": ([txid]) => find("cobv")(txid!),
    "PATCH /cobv/{txid}": patch("cobv"),
    "GET /pix/{e2eid}": ([e2eId]) => pix.get(e2eId!) ?? null,
    "GET /pix": (_ids, _body, query) => {
      const items = [...pix.values()].filter((one) => !query.has("devolucaoPresente") || one.devolucoes !== undefined);
      return { parametros: pages(query, items), pix: items };
    },
    "PUT /pix/{e2eid}/devolucao/{id}": ([e2eId, id], { valor }) => {
      const of = pix.get(e2eId!);
      if (of === undefined) return null;
      const made = {
        id,
        rtrId: `D${String(++count).padStart(31, "0")}`,
        valor,
        horario: {},
        status: "EM_PROCESSAMENTO",
      };
      returns.set(`${e2eId}/${id}`, made);
      of.devolucoes = [...(of.devolucoes ?? []), made];
      return made;
    },
    "GET /pix/{e2eid}/devolucao/{id}": ([e2eId, id]) => returns.get(`${e2eId}/${id}`) ?? null,
    "POST /loc": (_ids, { tipoCob }) => {
      const id = ++count;
      locations.set(String(id), { id, location: facts.location(`loc${id}`), tipoCob });
      return locations.get(String(id));
    },
    "GET /loc/{id}": ([id]) => locations.get(id!) ?? null,
    "DELETE /loc/{id}/txid": ([id]) => locations.get(id!) ?? null,
    "PUT /webhook/{chave}": (_ids, body) => {
      webhookUrl = body.webhookUrl;
      return {};
    },
    "GET /webhook/{chave}": () => (webhookUrl === undefined ? null : { webhookUrl, cnpj: RECEIVER.cnpj }),
  };

  function answer(method: string, url: URL, type: string, body: string): { status: number; body?: Json } {
    const known = judge({ method, url, type, body });
    const path = pathOf(url.pathname.replace(/^\/v2/, ""))!;
    const [own, asked] = [path.split("/"), url.pathname.replace(/^\/v2/, "").split("/")];
    const ids = asked.filter((_part, i) => own[i]!.startsWith("{")).map(decodeURIComponent);
    const given = handles[known]?.(ids, body === "" ? {} : JSON.parse(body), url.searchParams);
    if (given === undefined || given === null) {
      const problem = {
        type: "https://pix.bcb.gov.br/api/v2/error/NaoEncontrado",
        title: "Não encontrado.",
        status: 404,
      };
      return { status: 404, body: { ...problem, detail: "Entidade não encontrada." } };
    }
    const { responses } = standard.paths[path][method.toLowerCase()];
    const status = Object.keys(responses).find((one) => one.startsWith("2"))!;
    const schema = responses[status].content?.["application/json"]?.schema;
    if (schema === undefined) return { status: Number(status) };
    const said = fill(schema, given);
    fits(`${known} answers`, schema, said);
    return { status: Number(status), body: said };
  }

  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    const send = (status: number, said?: Json) =>
      response
        .writeHead(status, { "content-type": status < 300 ? "application/json" : "application/problem+json" })
        .end(said === undefined ? undefined : JSON.stringify(said));
    if (url === "/oauth/token") return send(200, { access_token: "token", token_type: "Bearer", expires_in: 3_600 });
    try {
      const { status, body: said } = answer(method, new URL(url, "http://bank"), headers["content-type"] ?? "", body);
      send(status, said);
    } catch (error) {
      problems.push(String(error));
      send(500);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Pays a charge: the description's least Pix. */
    pay(txid: string): string {
      const of = charges.get(txid);
      const endToEndId = `E${String(++count).padStart(31, "0")}`;
      const made = { endToEndId, txid, valor: of.valor.original, horario: new Date().toISOString() };
      pix.set(endToEndId, made);
      charges.set(txid, { ...of, status: "CONCLUIDA", pix: [made] });
      return endToEndId;
    },
    settle: (e2eId: string, id: string, status: "DEVOLVIDO" | "NAO_REALIZADO") => {
      returns.get(`${e2eId}/${id}`).status = status;
    },
    /** Fails where a call or an answer was none of the description's. */
    close(): void {
      server.close();
      server.closeAllConnections();
      assert.deepEqual(problems, []);
    },
  };
}

const ADDRESS = { logradouro: "Rua Um, 1", cidade: "Recife", uf: "PE", cep: "50000000" };
const RECEIVER = { ...ADDRESS, nome: "Loja", cnpj: "11222333000181" };
