import { UsageError } from "../error.ts";
import type { WithVerbs } from "./action.ts";

export const persons: WithVerbs = {
  alias: "person",
  description: "Export or erase what is kept about a person.",
  verbs: {
    export: {
      description: "Print everything that is kept about a person or company, as JSON.",
      flags: { document: { description: "CPF or CNPJ", field: "document", needed: true } },
      call: "POST /persons/export",
    },
    erase: {
      description: "Erase what may be erased about a person; what is open or kept by law stays. It cannot be undone.",
      flags: {
        document: { description: "CPF or CNPJ", field: "document", needed: true },
        "keep-years": {
          description: "how long it stays known who paid; left out: 10",
          field: "keepYears",
          kind: "number",
        },
      },
      call: "POST /persons/erase",
    },
  },
};

function readEmail(given: string | boolean | undefined): string {
  if (given === undefined) throw new UsageError("--email is missing: by which the person signs in");
  if (!/^[^\s@]+@[^\s@]+$/.test(String(given))) throw new UsageError("--email is not an e-mail address");
  return String(given);
}

export const people: WithVerbs = {
  description: "List, invite and remove the people of the console, and let them in again.",
  verbs: {
    list: {
      description: "List everybody with a role in the installation, or in an account.",
      flags: { account: { description: "id of the account; left out: the installation", query: "accountId" } },
      columns: ["id", "name", "email", "role"],
      call: "GET /people",
    },
    remove: {
      description: "Remove somebody from the installation, or from an account; their sessions end.",
      takes: ["ID"],
      flags: {
        account: { description: "id of the account; left out: the installation", query: "accountId" },
        made: {
          description: "what becomes of the tokens and credentials that they made: they end, or you take them over",
          query: "made",
          choices: ["end", "adopt"],
        },
      },
      call: "DELETE /people/{0}",
    },
    invite: {
      description: "Invite somebody to the console by a link that works once, shown this once.",
      flags: {
        email: { description: "e-mail address, by which the person signs in", field: "email", needed: true },
        name: { description: "how the person is called; left out: the e-mail address", field: "name" },
        role: {
          description: "what the person may do, in the installation or in the account",
          field: "role",
          choices: ["support", "finance", "admin", "auditor", "owner", "developer", "viewer"],
          needed: true,
        },
        account: { description: "id of the account; left out: the installation", field: "accountId" },
        "on-this-machine": {
          description:
            "invite an admin of the installation with DATABASE_URL, PIXGATE_PUBLIC_URL and PIXGATE_SECRET_KEY: the first one, or where no admin can sign in",
          kind: "switch",
        },
      },
      call: "POST /people",
      onMachine({ "on-this-machine": here, email, name, role, account, json }) {
        if (here !== true) return null;
        const address = readEmail(email);
        if ((role !== undefined && role !== "admin") || account !== undefined) {
          throw new UsageError("--on-this-machine invites an admin of the installation, who invites all others");
        }
        const person = { email: address, name: name === undefined ? null : String(name) };
        return (machine) => machine.invitePerson(person, json === true);
      },
    },
    recover: {
      description: "Let somebody in who lost what they sign in by, by a link that works once, shown this once.",
      flags: {
        email: { description: "e-mail address of the person", field: "email", needed: true },
        "on-this-machine": {
          description: "with DATABASE_URL, PIXGATE_PUBLIC_URL and PIXGATE_SECRET_KEY: where no admin can sign in",
          kind: "switch",
        },
      },
      call: "POST /people/recovery",
      onMachine({ "on-this-machine": here, email, json }) {
        if (here !== true) return null;
        const address = readEmail(email);
        return (machine) => machine.recoverPerson(address, json === true);
      },
    },
  },
};

export const tokens: WithVerbs = {
  alias: "token",
  description: "Make and revoke the tokens of operators.",
  verbs: {
    list: {
      description: "List every operator token.",
      columns: ["id", "name", "role", "kind", "expiresAt", "lastUsedAt", "revokedAt"],
      call: "GET /tokens?limit=100",
    },
    create: {
      description: "Make an operator token, shown this once.",
      flags: {
        name: { description: "whose it is", field: "name", needed: true },
        role: {
          description: "what it may do",
          field: "role",
          choices: ["support", "finance", "admin", "auditor"],
          needed: true,
        },
        kind: { description: "who uses it; left out: a person", field: "kind", choices: ["person", "machine"] },
        days: {
          description: "after how many days it ends, 1 to 365; left out: 90",
          field: "expiresInDays",
          kind: "number",
        },
        "allowed-ips": {
          description: "addresses and networks that it works from, with commas between them; left out: any",
          field: "allowedIps",
          kind: "list",
        },
        "on-this-machine": {
          description: "make the first one, with DATABASE_URL and PIXGATE_SECRET_KEY; the role is admin unless given",
          kind: "switch",
        },
      },
      call: "POST /tokens",
      onMachine({ "on-this-machine": here, name, role = "admin", kind, days, "allowed-ips": allowedIps, json }) {
        if (here !== true) return null;
        if (name === undefined) throw new UsageError("--name is missing: whose it is");
        if (kind !== undefined || allowedIps !== undefined)
          throw new UsageError("--on-this-machine makes a person's token that works from any address");
        if (days !== undefined && !(Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= 365))
          throw new UsageError("--days is a whole number from 1 to 365");
        const token = { name: String(name), role: String(role), days: days === undefined ? null : Number(days) };
        return (machine) => machine.createToken(token, json === true);
      },
    },
    adopt: {
      description: "Take an operator token over, so that it no longer ends with who made it.",
      takes: ["ID"],
      call: "POST /tokens/{0}/adopt",
    },
    revoke: {
      description: "Revoke an operator token.",
      takes: ["ID"],
      flags: {
        made: {
          description: "what becomes of the tokens and credentials that it made: they end, or you take them over",
          query: "made",
          choices: ["end", "adopt"],
        },
      },
      call: "DELETE /tokens/{0}",
    },
  },
};
