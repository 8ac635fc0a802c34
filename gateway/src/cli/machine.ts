import { Argument, type Command } from "commander";
import type { EventKind } from "../webhooks/events/catalogue.ts";
import { choice } from "./options.ts";
import type { Caused } from "./trigger.ts";

/**
 * Commands that run in this process, on DATABASE_URL, and not through an API. Loaded only when needed, because it is the
 * gateway.
 */
export type Machine = {
  serve(role: string | undefined): Promise<void>;
  doctor(json: boolean): Promise<void>;
  init(
    options: {
      readonly kind: "compose" | "helm";
      readonly publicUrl: string;
      readonly databaseUrl: string | null;
      readonly folder: string;
    },
    json: boolean,
  ): Promise<void>;
  migrate(json: boolean): Promise<void>;
  verify(json: boolean): Promise<void>;
  printOpenApi(operator: boolean): Promise<void>;
  createToken(
    token: {
      readonly name: string;
      readonly role: string /** Until the work ends; null: the usual time. */;
      readonly days: number | null;
    },
    json: boolean,
  ): Promise<void>;
  invitePerson(person: { readonly email: string; readonly name: string | null }, json: boolean): Promise<void>;
  recoverPerson(email: string, json: boolean): Promise<void>;
  rotateMasterKey(json: boolean): Promise<void>;
  /** How a kind of event is caused in a sandbox: the nouns know, which the command line does not load. */
  causeOf(kind: EventKind): Promise<Caused>;
};
export type LoadMachine = () => Promise<Machine>;

type InitOptions = { publicUrl: string; databaseUrl?: string; folder: string };

/** Adds the commands that run and manage the gateway itself. */
export function addMachineCommands(program: Command, load: LoadMachine): void {
  program
    .command("serve")
    .description("Start the gateway (npm start).")
    .addOption(
      choice("--role <role>", "what this process does; left out: PIXGATE_ROLE, or all", ["all", "api", "worker"]),
    )
    .action(async ({ role }: { role?: string }) => (await load()).serve(role));
  program
    .command("doctor")
    .description("Say what is wrong with this machine or its settings; changes nothing.")
    .option("--json", "print the result as JSON")
    .action(async ({ json = false }: { json?: boolean }) => (await load()).doctor(json));
  program
    .command("init")
    .description(
      "Write the files of a production installation, with keys of its own, into a folder that has none of them.",
    )
    .addArgument(
      new Argument(
        "<kind>",
        "compose.yaml with a Dockerfile and .env; or a Helm chart with its values and secrets",
      ).choices(["compose", "helm"]),
    )
    .requiredOption("--public-url <url>", "https address that payers' banks and merchants reach")
    .option("--database-url <url>", "for helm: PostgreSQL as the owner of the gateway's tables")
    .option("--folder <folder>", "where the files go", ".")
    .option("--json", "print the result as JSON")
    .action(
      async (
        kind: "compose" | "helm",
        { publicUrl, databaseUrl, folder, json = false }: InitOptions & { json?: boolean },
      ) => (await load()).init({ kind, publicUrl, databaseUrl: databaseUrl ?? null, folder }, json),
    );
  program
    .command("migrate")
    .description(
      "Bring the schema of DATABASE_URL to this version, as its owner, and give the gateway's role its rights.",
    )
    .option("--json", "print the result as JSON")
    .action(async ({ json = false }: { json?: boolean }) => (await load()).migrate(json));
  program
    .command("openapi")
    .description("Print the OpenAPI document of the API.")
    .option("--operator", "of the operator API")
    .action(async ({ operator = false }: { operator?: boolean }) => (await load()).printOpenApi(operator));
  program
    .command("master-key")
    .description("Exchange the master key.")
    .command("rotate")
    .description(
      "Seal the secrets of DATABASE_URL under PIXGATE_SECRET_KEY instead of PIXGATE_SECRET_KEY_OTHER; may be interrupted and run again.",
    )
    .option("--json", "print the result as JSON")
    .action(async ({ json = false }: { json?: boolean }) => (await load()).rotateMasterKey(json));
}
