import { randomUUID } from "node:crypto";
import { record } from "../books/journal.ts";
import type { Charge, Kind } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount } from "../lib/amount.ts";
import { dynamicBrCode } from "../lib/brcode.ts";
import { pageOf } from "../lib/page-of.ts";
import { qrPicture } from "../lib/qr-picture.ts";
import { note } from "../log/log.ts";
import { type Location, presentLocation } from "./location.ts";

/** A new one, at this program's own address: what is printed leads nowhere else. */
export function newLocation(ctx: Context, kind: Kind = "cob"): Location {
  const id = ctx.books.state.lastLocId + 1;
  return {
    id,
    location: `${ctx.host}/v2/qr/${kind === "cob" ? "" : "cobv/"}${randomUUID().replaceAll("-", "")}`,
    createdAt: ctx.now(),
  };
}

/** `POST /loc`: a location on which a charge may be put later. Charges with a due date are not offered here. */
export function postLocation(ctx: Context, call: Call): Answer {
  const { tipoCob } = (call.body ?? {}) as Record<string, unknown>;
  if (tipoCob !== "cob") {
    const razao = tipoCob === "cobv" ? "Este PSP não oferece cobv." : "O campo tipoCob não respeita o schema.";
    return problem("PayloadLocationOperacaoInvalida", "A presente requisição busca criar uma location inválida.", [
      { razao, propriedade: "tipoCob" },
    ]);
  }
  const location = newLocation(ctx);
  record(ctx.books, { location, note: note(ctx.log, "loc.post", { id: location.id, result: 201 }) });
  return json(201, presentLocation(location));
}

/** `GET /loc?inicio&fim`: by creation, both ends inclusive. Efí calls the list `locs`, the standard `loc`. */
export function listLocations(ctx: Context, call: Call): Answer {
  const { locations, locationIndex, behaviour } = ctx.books.state;
  const reader = readQuery(call.query, behaviour.silentListCap);
  const period = reader.period(true);
  const page = reader.page();
  const used = reader.flag("txIdPresente");
  const kind = reader.text("tipoCob", /^(cob|cobv)$/);
  if (reader.violations.length > 0) {
    const text = "Os parâmetros de consulta não respeitam o schema.";
    return problem("PayloadLocationConsultaInvalida", text, reader.violations);
  }
  const matches = (id: string): boolean =>
    kind !== "cobv" && (used === undefined || (locations.get(Number(id))!.txid !== undefined) === used);
  const { ids, total } = pageOf(locationIndex, period, page, matches);
  const items = ids.map((id) => presentLocation(locations.get(Number(id))!));
  const parametros = reader.parameters(page, total);
  return json(200, behaviour.dialect === "efi" ? { parametros, locs: items } : { parametros, loc: items });
}

/** `GET /loc/{id}`. */
export function getLocation(ctx: Context, call: Call): Answer {
  const location = findLocation(ctx, call);
  return location ? json(200, presentLocation(location)) : unknown();
}

/** `DELETE /loc/{id}/txid`: the charge keeps its status, and has no location any more. */
export function unlinkLocation(ctx: Context, call: Call): Answer {
  const before = findLocation(ctx, call);
  if (!before) return unknown();
  const { txid, ...location } = before;
  if (txid !== undefined) {
    const charge = ctx.books.state.charges.get(txid)!;
    const entry = note(ctx.log, "loc.unlink", { id: location.id, txid, result: 200 });
    record(ctx.books, { charge: withoutLocation(charge), location, note: entry });
  }
  return json(200, presentLocation(location));
}

function withoutLocation({ locId: _id, location: _location, ...charge }: Charge): Charge {
  return charge;
}

/** Efí's `GET /loc/{id}/qrcode`: the code of the charge that stands there, as text and as a picture. */
export function getQrCode(ctx: Context, call: Call): Answer {
  const location = findLocation(ctx, call);
  const charge = location?.txid === undefined ? undefined : ctx.books.state.charges.get(location.txid);
  if (!location || !charge) return unknown();
  const { ownerName, city } = ctx.credentials;
  const qrcode = dynamicBrCode(location.location, formatAmount(charge.terms.amountCentavos), ownerName, city);
  return json(200, {
    qrcode,
    imagemQrcode: qrPicture(qrcode),
    linkVisualizacao: `${ctx.scheme}://${location.location}`,
  });
}

/** What is wrong with the `loc.id` of a charge, or the location that it names; undefined: it names none. */
export function readLoc(
  ctx: Context,
  body: unknown,
  txid: string,
): { location?: Location; violation?: undefined } | { violation: string } {
  const loc = (body as { loc?: unknown } | null)?.loc;
  if (loc === undefined || loc === null) return {};
  const { id } = loc as { id?: unknown };
  const location = typeof id === "number" ? ctx.books.state.locations.get(id) : undefined;
  if (!location) return { violation: "O location referenciado por loc.id inexiste." };
  if (location.txid !== undefined && location.txid !== txid) {
    return { violation: "O location referenciado por loc.id já está sendo utilizado por outra cobrança." };
  }
  return { location };
}

const findLocation = (ctx: Context, { params }: Call): Location | undefined =>
  /^\d{1,15}$/.test(params.id!) ? ctx.books.state.locations.get(Number(params.id)) : undefined;

const unknown = (): Answer => problem("PayloadLocationNaoEncontrado", "Location não encontrada para o id informado.");
