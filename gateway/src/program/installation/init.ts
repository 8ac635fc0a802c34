/**
 * `pixgate init`: writes the files of a production installation, with keys of its own, into a folder that has none of them.
 */
import { randomBytes } from "node:crypto";
import { closeSync, globSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../lib/config-error.ts";

type InitKind = "compose" | "helm";

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
  /** The operator's next steps, one a line. */
  readonly next: readonly string[];
};

type File = {
  readonly name: string;
  readonly text: string;
  /** Only its owner may read it. */
  readonly isSecret?: true;
};

/** The folder that holds gateway/ and deploy/: the repository, or the npm package. */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const CHART = "deploy/helm/pixgate";
/** Name of the operator's own image, in `values.yaml` and in the printed steps. */
const IMAGE = "registry.example.com/pixgate";
/**
 * Settings in the query that change neither the role nor the server. Any other could, because in `pg` the query overrides
 * the address.
 */
const QUERY = ["sslmode", "sslrootcert", "sslcert", "sslkey", "application_name", "connect_timeout"];

/**
 * Writes all files, or none if one of them exists. The keys are made here and stored only in these files.
 *
 * @throws ConfigError with the reason; whatever it had begun is removed.
 */
export function initInstallation(options: InitOptions): Written {
  const publicUrl = readPublicUrl(options.publicUrl);
  const version = (JSON.parse(sourceOf("gateway/package.json")) as { version: string }).version;
  const files = options.kind === "compose" ? composeFiles(publicUrl, version) : helmFiles(publicUrl, version, options);
  writeAll(options.folder, files);
  return { files: files.map(({ name }) => name), next: options.kind === "compose" ? COMPOSE_NEXT : helmNext(version) };
}

function writeAll(folder: string, files: readonly File[]): void {
  const made: string[] = [];
  try {
    // Not existsSync, which takes a link to nowhere for a free name.
    const existing = files.filter(({ name }) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
    if (existing.length > 0)
      throw new Error(
        `${existing.map(({ name }) => name).join(", ")} ${existing.length === 1 ? "exists" : "exist"} already`,
      );
    for (const { name, text, isSecret } of files) {
      const path = join(folder, name);
      const first = mkdirSync(dirname(path), { recursive: true });
      if (first !== undefined) made.push(first);
      // Created with its mode, so that others can never read a key. `wx`: never overwrites a file that appeared meanwhile.
      const file = openSync(path, "wx", isSecret ? 0o600 : 0o644);
      made.push(path);
      try {
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
    }
  } catch (error) {
    for (const path of made.reverse()) rmSync(path, { recursive: true, force: true });
    throw new ConfigError(`${(error as Error).message}: nothing was written`);
  }
}

/** A file of this copy of Pixgate. An image built from the repository lacks those that `init` writes. */
function sourceOf(name: string): string {
  if (lstatSync(join(root, name), { throwIfNoEntry: false })) return readFileSync(join(root, name), "utf8");
  throw new ConfigError(`this installation has no ${name}, use the npm package, npx pixgate init: nothing was written`);
}

export const showWritten = ({ files, next }: Written): string =>
  [`Written: ${files.join(", ")}`, "", "Next:", ...next.map((line) => `  ${line}`)].join("\n");

function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== "https:" || url.origin !== text.replace(/\/$/, "")) {
    throw new ConfigError("--public-url must be an https address without a path, such as https://pix.example.com");
  }
  // A URL may contain `$`, which compose.yaml's .env reads as a variable, or a comma, which the chart reads as two hosts.
  if (!/^[a-z0-9.-]+$/.test(url.hostname)) {
    throw new ConfigError("--public-url must name a host of letters, digits, dots and hyphens");
  }
  return url.origin;
}

const masterKey = (): string => randomBytes(32).toString("base64");
/** None of its characters must be escaped in an address. */
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
    { name: "compose.yaml", text: sourceOf("compose.yaml").replace(/^.*(In the repository:|TRACES:).*\n/gm, "") },
    ...imageFiles(version),
    { name: ".env", text: envOf(env), isSecret: true },
  ];
}

/** What an image of this version's npm package is built from. */
const imageFiles = (version: string): readonly File[] => [
  { name: "Dockerfile", text: sourceOf("deploy/package/Dockerfile").replace("pixgate@VERSION", `pixgate@${version}`) },
  // Only the Dockerfile is sent to the builder.
  { name: ".dockerignore", text: "*\n" },
];

const helmNext = (version: string): readonly string[] => [
  "Keep a copy of pixgate.env elsewhere: without PIXGATE_SECRET_KEY nothing in the database can be opened.",
  `In values.yaml: your registry instead of ${IMAGE} (image.repository, and below), and the addresses of your ingress controller (trustedProxies).`,
  `docker build --tag ${IMAGE}:${version} .`,
  `docker push ${IMAGE}:${version}`,
  "kubectl create secret generic pixgate --from-env-file=pixgate.env",
  "kubectl create secret generic pixgate-migrate --from-env-file=pixgate-migrate.env",
  "kubectl create secret tls pixgate-tls --cert=fullchain.pem --key=privkey.pem",
  "helm upgrade --install pixgate ./chart --values values.yaml",
];

function helmFiles(publicUrl: string, version: string, { databaseUrl }: InitOptions): readonly File[] {
  const owner = readOwner(databaseUrl);
  const gateway = new URL(owner);
  const gatewayPassword = password();
  [gateway.username, gateway.password] = ["pixgate_gateway", gatewayPassword];
  const values = {
    publicUrl,
    image: { repository: IMAGE, tag: version },
    trustedProxies: "",
    ingress: { enabled: true, host: new URL(publicUrl).hostname },
  };
  const chart = globSync("**/*.*", { cwd: join(root, CHART) }).sort();
  return [
    ...imageFiles(version),
    ...(chart.length > 0 ? chart : ["Chart.yaml"]).map((name) => ({
      name: `chart/${name}`,
      text: sourceOf(`${CHART}/${name}`),
    })),
    // JSON is YAML, and escapes everything that an address may contain.
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

/** The owner's address. With another role and password it becomes the gateway's, so its other parts must name neither. */
function readOwner(text: string | null): URL {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || url.pathname.length < 2) {
    throw new ConfigError(
      "helm needs --database-url: the PostgreSQL of the installation as the owner of its tables, such as postgresql://pixgate:…@db.internal/pixgate",
    );
  }
  if (url.username === "" || url.username === "pixgate_gateway") {
    throw new ConfigError(
      "--database-url must name the owner of the tables as its user, and that is not pixgate_gateway",
    );
  }
  const other = [...url.searchParams.keys()].find((name) => !QUERY.includes(name));
  if (other !== undefined) {
    throw new ConfigError(
      `--database-url must not have ${JSON.stringify(other)} in its query: it may have ${QUERY.join(", ")}`,
    );
  }
  return url;
}
