// Finds this program's own files without asking the disk. Node looks for the package.json, the kind and the real path of each
// imported file, and a start imports 1,100: a quarter of the CPU that loading takes. An import of ours names its file exactly.
import { registerHooks } from "node:module";

const ROOT = new URL("../../", import.meta.url).href;
const INSTALLED = `${ROOT}node_modules/`;
/** In the npm package the TypeScript has become JavaScript. */
const FORMATS = { ".ts": "module-typescript", ".js": "module" };

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (specifier[0] === "." && parentURL !== undefined) {
      const format = formatOf(specifier, parentURL);
      if (format !== undefined) return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    }
    return next(specifier, context);
  },
});

/** Undefined where only Node knows: of a package that is not ours, unless the name itself says it (TypeBox has 300 such files). */
function formatOf(specifier, parentURL) {
  if (specifier.endsWith(".mjs")) return parentURL.endsWith(".mjs") ? "module" : undefined;
  const isOurs = parentURL.startsWith(ROOT) && !parentURL.startsWith(INSTALLED);
  return isOurs ? FORMATS[specifier.slice(-3)] : undefined;
}
