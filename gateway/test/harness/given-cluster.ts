import { GATEWAY_ROLE } from "../../src/db/rights.ts";
import { joinServers, on } from "./citus.ts";
import { eventually } from "./eventually.ts";

/** A cluster that runs already, at the address of its coordinator as a superuser. */
type GivenCluster = {
  /** Addresses of its other servers. */
  readonly workers: readonly string[];
  /** Makes the database `name`, empty, on all of its servers. */
  createDatabase(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Ends all that uses the database, on every server: so it can be cloned there. */
  close(): Promise<void>;
  /** Removes the database and the gateway's role. */
  remove(): Promise<void>;
};

/**
 * Opens a cluster of somebody's, for tests: `url` is a database of it that knows its servers. The servers go on running, and
 * lose what the tests have made. A cluster that has the gateway's role or the database `name` may be in use, and is refused: tests
 * would change the role's password, and remove both at their end.
 */
export async function openGivenCluster(url: string, name: string): Promise<GivenCluster> {
  const nodes = await on(url, "select nodename, nodeport from pg_dist_node where groupid <> 0 order by nodeid");
  if (nodes.length === 0) throw new Error("PIXGATE_CITUS_URL: pg_dist_node has no workers");
  const at = (server: string, database: string) => Object.assign(new URL(server), { pathname: `/${database}` }).href;
  const workers = nodes.map(({ nodename, nodeport }) => {
    const worker = new URL(at(url, "postgres"));
    [worker.hostname, worker.port] = [String(nodename), String(nodeport)];
    return worker.href;
  });
  const all = [at(url, "postgres"), ...workers];
  for (const server of all) {
    const there = await on(
      server,
      `select rolname as name from pg_roles where rolname = '${GATEWAY_ROLE}'
       union all select datname from pg_database where datname = '${name}'`,
    );
    if (there.length > 0)
      throw new Error(`PIXGATE_CITUS_URL: ${there[0]!.name} is there, so this cluster may be in use`);
  }
  const everywhere = (...statements: string[]) => Promise.all(all.map((server) => on(server, ...statements)));
  const serverOf = (address: string) => {
    const { hostname, port } = new URL(address);
    return { host: hostname, port: Number(port || 5432), url: (database: string) => at(address, database) };
  };
  return {
    workers,
    async createDatabase(settings) {
      const set = Object.entries(settings).map(([key, value]) => `alter database ${name} set ${key} = '${value}'`);
      await everywhere(`create database ${name}`, ...set);
      await joinServers(name, serverOf(url), workers.map(serverOf));
    },
    async close() {
      const count = `select from pg_stat_activity where datname = '${name}'`;
      // Citus keeps a process in a database that was used; it is started again only by a connection, which nobody gets.
      const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
      await everywhere(`alter database ${name} allow_connections false`);
      await eventually(`nobody uses ${name}`, async () => {
        await everywhere(end);
        return (await everywhere(count)).every((rows) => rows.length === 0);
      });
    },
    async remove() {
      await everywhere(`drop database if exists ${name} with (force)`);
      await everywhere(`drop role if exists ${GATEWAY_ROLE}`);
    },
  };
}
