import { type Check, warning } from "./check.ts";

/** Settings of the command line, of the banks' packages, and of `compose.yaml`, which no process of the gateway reads with the rest. */
const ELSEWHERE = [
  ...["PIXGATE_API_URL", "PIXGATE_CLIENT_ID", "PIXGATE_CLIENT_SECRET", "PIXGATE_PROFILE", "PIXGATE_MCP_TOKEN"],
  ...["PIXGATE_OPERATOR_TOKEN", "PIXGATE_OPERATOR_URL", "PIXGATE_BANKS"],
  ...["PIXGATE_SUPERUSER_PASSWORD", "PIXGATE_DATABASE_PASSWORD", "PIXGATE_VERSION", "PIXGATE_PORT_A", "PIXGATE_PORT_B"],
  ...["PIXGATE_POSTGRES_IMAGE", "PIXGATE_NODE_IMAGE", "PIXGATE_IMAGE_TRACES", "PIXGATE_BACKUP_DIR"],
];

/** A setting with a slip in its name is never read, so nothing else would tell its owner. */
export function checkNames(env: NodeJS.ProcessEnv, read: ReadonlySet<string>): Check[] {
  const known = new Set([...ELSEWHERE, ...read]);
  return Object.keys(env)
    .filter((name) => name.startsWith("PIXGATE_") && !known.has(name))
    .sort()
    .map((name) => {
      const meant = [...known].find((one) => isOneSlipFrom(name, one));
      return warning(
        "settings",
        `${name} is no setting, and does nothing${meant === undefined ? "" : `: did you mean ${meant}?`}`,
      );
    });
}

/** Whether two names are the same but for one letter that is missing, too many, wrong, or changed places with the next. */
function isOneSlipFrom(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
