/** Received Pix (`/pix`): find one, list a window. */
import type { Psp } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import { found, isId } from "./interpret.ts";
import { callList } from "./list.ts";
import { type Dialect, readPage, readPix } from "./read-answers.ts";
import type { Caller } from "./request.ts";

export function findReceivedPix(
  config: ApiPixConfig,
  caller: Caller,
  dialect: Dialect,
): Pick<Psp, "findPix" | "listPix"> {
  return {
    async findPix(e2eId) {
      if (!isId(e2eId)) return { kind: "unknown", reason: "invalid_e2e_id" };
      const reply = await caller.call({ route: "getPix", method: "GET", first: e2eId });
      return found(reply, (body) => {
        const pix = readPix(body, dialect);
        return pix?.e2eId === e2eId ? pix : null;
      });
    },

    async listPix(window) {
      const page = await callList(config, caller, "listPix", window, (body) =>
        readPage(body, "pix", readPix, "pix", dialect),
      );
      if (page.kind !== "found") return page;
      return { kind: "found", value: { pix: page.value.values, ...page.value.rest } };
    },
  };
}
