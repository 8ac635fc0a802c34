/** Copies the documents into `pages/`: what VitePress reads must lie in its own folder, or it does not find its packages. */
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

rmSync(at("pages"), { recursive: true, force: true });
for (const path of ["README.md", "README.pt-BR.md", "docs"])
  cpSync(at(`../${path}`), at(`pages/${path}`), { recursive: true });
