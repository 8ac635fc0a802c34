import { encodeQR } from "qr";
import { qrDataUri } from "../gateway/src/lib/qr.ts";
import { inRounds } from "./harness/load.ts";
import { figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";

const LENGTH = 180;
const HEAD = "00020101021226880014br.gov.bcb.pix2566qrcodes.example.com/v2/";
const TAIL = "5204000053039865802BR5913Pixgate Bench6009SAO PAULO62070503***6304";

/** The picture of a code, as a data URI: different codes each time, as charges have them. */
export const qr: Benchmark = {
  name: "qr",
  async run(stage) {
    const many = Math.max(50, Math.round(20_000 * stage.pace.scale));
    const codes = Array.from({ length: many }, (_, i) => codeOf(i));
    const each = (work: (code: string) => unknown) => async () => {
      const began = performance.now();
      for (const code of codes) work(code);
      return (performance.now() - began) / many;
    };
    const matrix = (code: string) => encodeQR(code, "raw", { ecc: "medium", mask: 2, border: 1, version: 9 });
    const subjects = { matrix: each(matrix), picture: each(qrDataUri) };
    await subjects.matrix();
    await subjects.picture();
    const found = await inRounds(stage.pace.rounds, subjects);
    const sizes = codes.slice(0, 1_000).map((code) => qrDataUri(code).length);
    return {
      figures: [
        figure("floor: the matrix of the package `qr` alone", "ms", found.matrix!),
        figure(`data URI of a code of ${LENGTH} characters`, "ms", found.picture!, {
          floor: { to: "the matrix alone", values: found.matrix! },
          bar: { of: "value", most: 0.15 },
        }),
        figure("its length", "bytes", sizes, { bar: { of: "value", most: 2_000 } }),
      ],
      curves: [],
      problems: [],
    };
  },
};

function codeOf(i: number): string {
  const id = `${i}${Math.random().toString(36).slice(2)}`.padEnd(LENGTH, "x");
  return HEAD + id.slice(0, LENGTH - HEAD.length - TAIL.length) + TAIL;
}
