/** Checks that nothing outside the banks' folders decides by which bank it is: their capabilities say what differs. */

import { BANKS } from "../../gateway/src/psp/catalogue.ts";
import { isTest, isTypeScript, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

/** Ids of banks and names of profiles. The simulator is a program too, so code outside may name it. */
const NAMES: readonly string[] = BANKS.filter(({ simulated }) => !simulated).flatMap(({ id, profiles = [] }) => [
  id,
  ...profiles.map(({ profile }) => profile),
]);
const NAMED = new RegExp(`["'\`](${NAMES.join("|")})(?:-sandbox)?["'\`]`, "g");

const mustNotName = (path: string): boolean =>
  /^(?:gateway|console|mcp|sdk)\/src\//.test(path) && !path.startsWith("gateway/src/psp/") && !isTest(path);

export function bankNames(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isTypeScript(file) && mustNotName(file.path))
    .flatMap(({ path, text }) => {
      const code = withoutComments(text);
      return [...code.matchAll(NAMED)].map(({ index, 1: name }) => {
        const message = `names the bank ${name}: put what differs into its capabilities (psp/capabilities.ts), and read those`;
        return { rule: "banks", path, line: lineAt(code, index), message };
      });
    });
}
