import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../harness/eventually.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The names that the page uses, all of this machine. */
const NAMES = ["pix.example.com", "pix.internal", "db.internal", "shop.example.com", "localhost"];
/** What the walk and its parent agree on; a tmpfs of the walk's namespace. */
export const FOLDER = "/mnt";
export const CA = "/etc/ssl/pixgate/ca.pem";

const sh = (script: string): void => {
  execFileSync("bash", ["-euc", script], { stdio: ["ignore", "pipe", "pipe"] });
};

/**
 * Makes a machine of this process's mount and network namespace: whatever is written below /etc, /var, /opt and /run is gone
 * with it, and every port is free. The repository is at /opt/pixgate.
 *
 * @param machine the mount namespace of whoever started the process, which must be another one.
 */
export function makeMachine(machine: string | undefined): void {
  // Lines of the page remove folders: never on the machine itself.
  if (machine === undefined || readlinkSync("/proc/self/ns/mnt") === machine)
    throw new Error("not in a namespace of its own");
  sh(`ip link set lo up
    mount -t tmpfs tmpfs ${FOLDER}
    over() { mkdir -p ${FOLDER}/over$2/up ${FOLDER}/over$2/work; mount -t overlay overlay -o lowerdir=$1,upperdir=${FOLDER}/over$2/up,workdir=${FOLDER}/over$2/work $2; }
    for at in /etc /var /opt; do over $at $at; done
    mount -t tmpfs tmpfs /run
    mkdir -p /opt/pixgate ${FOLDER}/home ${FOLDER}/backup /etc/ssl/pixgate /run/postgresql
    over ${ROOT.replace(/\/$/, "")} /opt/pixgate
    chown postgres /run/postgresql`);
  appendFileSync("/etc/hosts", `\n127.0.0.1 ${NAMES.join(" ")}\n`);
}

/** The certificates that were made for the walk, where the pages' lines expect them. */
export function placeCertificates(from: string): void {
  cpSync(from, "/etc/ssl/pixgate", { recursive: true });
  for (const [name, as] of [
    ["bank.pem", "pix.example.com.pem"],
    ["bank.key", "pix.example.com.key"],
  ] as const)
    copyFileSync(join(from, name), join("/etc/ssl/pixgate", as));
  // The rehearsal's files lie in the folder where its lines are pasted.
  for (const name of ["ca.pem", "bank.pem", "bank.key", "client.pem", "client.key"])
    copyFileSync(join(from, name), join("/opt/pixgate", name));
}
export const namesOfCertificate = `subjectAltName=IP:127.0.0.1,${NAMES.map((name) => `DNS:${name}`).join(",")}\n`;

/** Debian's PostgreSQL with TLS; null where there is none. */
export const findPostgres = (): string | null => {
  try {
    const versions = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
    return versions.length === 0 ? null : `/usr/lib/postgresql/${versions[0]}/bin`;
  } catch {
    return null;
  }
};

export function startPostgres(bin: string): void {
  const data = join(FOLDER, "postgres");
  sh(`install -d -o postgres ${data}
    for f in bank.pem bank.key; do install -o postgres -m 600 /etc/ssl/pixgate/$f ${data}.$f; done
    runuser -u postgres -- ${bin}/initdb -D ${data} --auth=peer -E UTF8 >/dev/null
    printf 'local all all peer\\nhostssl all all all scram-sha-256\\n' > ${data}/pg_hba.conf
    printf "ssl=on\\nssl_cert_file='${data}.bank.pem'\\nssl_key_file='${data}.bank.key'\\nlisten_addresses='127.0.0.1'\\n" >> ${data}/postgresql.conf
    runuser -u postgres -- ${bin}/pg_ctl -D ${data} -w -l ${data}/log start >/dev/null`);
}
export const stopPostgres = (bin: string): void =>
  sh(`runuser -u postgres -- ${bin}/pg_ctl -D ${join(FOLDER, "postgres")} -m immediate stop >/dev/null`);

/** The superuser's `psql`. */
export const psql = (commands: string): string =>
  execFileSync("runuser", ["-u", "postgres", "--", "psql", "-qAt", "-v", "ON_ERROR_STOP=1"], {
    input: commands,
  }).toString();

/** The merchant's server behind its own name, and what it got. */
export async function startShop(): Promise<{
  received: { headers: Record<string, string>; body: string }[];
  stop(): void;
}> {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(9000, "127.0.0.1", resolve));
  return { received, stop: () => server.close() };
}

/** Debian's nginx with its own configuration, the delivered file as it stands but for its secret, and the shop's. */
export async function startNginx(secret: string): Promise<ChildProcess> {
  const file = readFileSync("/opt/pixgate/deploy/proxies/nginx.conf", "utf8");
  writeFileSync("/etc/nginx/conf.d/pixgate.conf", file.replace("change-me-32-visible-characters-or-more", secret));
  const tls = "ssl_certificate /etc/ssl/pixgate/bank.pem; ssl_certificate_key /etc/ssl/pixgate/bank.key;";
  writeFileSync(
    "/etc/nginx/conf.d/shop.conf",
    `server { listen 443 ssl; server_name shop.example.com; ${tls} location / { proxy_pass http://127.0.0.1:9000; } }\n`,
  );
  mkdirSync("/var/log/nginx", { recursive: true });
  const nginx = spawn("nginx", ["-g", "daemon off;"], { stdio: "ignore" });
  await eventually("nginx to answer", () => fetch("https://pix.example.com/nothing").then(({ status }) => status > 0));
  return nginx;
}
