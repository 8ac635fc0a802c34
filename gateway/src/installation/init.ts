/** `pixgate init`: the files of a production installation, with keys of its own, in a folder that has none of them. */
import { randomBytes } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../config.ts";

export type InitKind = "compose" | "helm";

type InitOptions = {
  readonly kind: InitKind;
  /** Address that payers' banks and merchants reach: https, without a path. */
  readonly publicUrl: string;
  /** PostgreSQL as the owner of its tables: needed for Helm, whose chart brings no PostgreSQL. */
  readonly databaseUrl: string | null;
  /** Where the files go. */
  readonly folder: string;
};

type Written = {
  /** Names of the files, in the order of writing. */
  readonly files: readonly string[];
  /** What the operator does next, a line each. */
  readonly next: readonly string[];
};

type File = {
  readonly name: string;
  readonly text: string /** For its owner's eyes alone. */;
  readonly isSecret?: true;
};

/** Of the repository, or of the npm package, which has the same folders. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const CHART = "deploy/helm/pixgate";

/** Writes the files, or none: refuses where one of them exists. Keys are made here and stand nowhere else. */
export function initInstallation(options: InitOptions): Written {
  const publicUrl = readPublicUrl(options.publicUrl);
  const version = (JSON.parse(readFileSync(join(root, "gateway/package.json"), "utf8")) as { version: string }).version;
  const files = options.kind === "compose" ? composeFiles(publicUrl, version) : helmFiles(publicUrl, version, options);
  const known = files.filter(({ name }) => existsSync(join(options.folder, name)));
  if (known.length > 0) {
    throw new ConfigError(`${known.map(({ name }) => name).join(", ")} exists already: nothing was written`);
  }
  for (const { name, text, isSecret } of files) {
    const path = join(options.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    // Made with its mode: no moment in which others can read a key. `wx`: never over a file that came meanwhile.
    writeFileSync(path, text, { mode: isSecret ? 0o600 : 0o644, flag: "wx" });
  }
  return { files: files.map(({ name }) => name), next: options.kind === "compose" ? COMPOSE_NEXT : HELM_NEXT };
}

export const showWritten = ({ files, next }: Written): string =>
  [`Written: ${files.join(", ")}`, "", "Next:", ...next.map((line) => `  ${line}`)].join("\n");

function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== "https:" || url.origin !== text.replace(/\/$/, "")) {
    throw new ConfigError("--public-url must be an https address without a path, such as https://pix.example.com");
  }
  return url.origin;
}

const masterKey = (): string => randomBytes(32).toString("base64");
/** No character of it has to be escaped in an address. */
const password = (): string => randomBytes(32).toString("hex");
const envOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

const COMPOSE_NEXT = [
  "Keep a copy of .env elsewhere: without PIXGATE_SECRET_KEY nothing in the database can be opened.",
  "docker compose up -d --build",
  "docker compose run --rm worker token create --on-this-machine --name maria --role admin",
  "A proxy of yours ends TLS, balances between 127.0.0.1:8080 and :8081 by /readyz, and sends X-Pixgate-Proxy with PIXGATE_PROXY_SECRET.",
];

function composeFiles(publicUrl: string, version: string): readonly File[] {
  const env = {
    PIXGATE_PUBLIC_URL: publicUrl,
    PIXGATE_VERSION: version,
    PIXGATE_SECRET_KEY: masterKey(),
    PIXGATE_SUPERUSER_PASSWORD: password(),
    PIXGATE_DATABASE_PASSWORD: password(),
    PIXGATE_GATEWAY_PASSWORD: password(),
    PIXGATE_PROXY_SECRET: password(),
  };
  return [
    { name: "compose.yaml", text: readFileSync(join(root, "compose.yaml"), "utf8") },
    {
      name: "Dockerfile",
      text: readFileSync(join(root, "deploy/package/Dockerfile"), "utf8").replace(
        "pixgate@VERSION",
        `pixgate@${version}`,
      ),
    },
    // What is sent to the builder: nothing but the Dockerfile.
    { name: ".dockerignore", text: "*\n" },
    { name: ".env", text: envOf(env), isSecret: true },
  ];
}

const HELM_NEXT = [
  "Keep a copy of pixgate.env elsewhere: without PIXGATE_SECRET_KEY nothing in the database can be opened.",
  "kubectl create secret generic pixgate --from-env-file=pixgate.env",
  "kubectl create secret generic pixgate-migrate --from-env-file=pixgate-migrate.env",
  "Write the addresses of your ingress controller into values.yaml (trustedProxies), and where your image is (image.repository).",
  "helm install pixgate ./chart --values values.yaml",
];

function helmFiles(publicUrl: string, version: string, { databaseUrl }: InitOptions): readonly File[] {
  const owner = databaseUrl !== null && URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (
    owner === null ||
    !/^postgres(ql)?:$/.test(owner.protocol) ||
    owner.hostname === "" ||
    owner.pathname.length < 2
  ) {
    throw new ConfigError(
      "helm needs --database-url: the PostgreSQL of the installation as the owner of its tables, such as postgresql://pixgate:…@db.internal/pixgate",
    );
  }
  const gateway = new URL(owner);
  const gatewayPassword = password();
  [gateway.username, gateway.password] = ["pixgate_gateway", gatewayPassword];
  const values = {
    publicUrl,
    image: { repository: "pixgate", tag: version },
    trustedProxies: "",
    ingress: { enabled: true, host: new URL(publicUrl).hostname },
  };
  return [
    ...globSync("**/*.*", { cwd: join(root, CHART) })
      .sort()
      .map((name) => ({ name: `chart/${name}`, text: readFileSync(join(root, CHART, name), "utf8") })),
    // JSON is YAML, and escapes whatever an address holds.
    { name: "values.yaml", text: `${JSON.stringify(values, null, 2)}\n` },
    {
      name: "pixgate.env",
      text: envOf({ DATABASE_URL: gateway.href, PIXGATE_SECRET_KEY: masterKey() }),
      isSecret: true,
    },
    {
      name: "pixgate-migrate.env",
      text: envOf({ DATABASE_URL: owner.href, PIXGATE_GATEWAY_PASSWORD: gatewayPassword }),
      isSecret: true,
    },
  ];
}
