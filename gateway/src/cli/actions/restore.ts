import type { Flag, WithVerbs } from "./action.ts";

const REASON: Flag = { description: "why; kept in the audit log", field: "reason", needed: true };

export const restore: WithVerbs = {
  description: "Say whether this database is a restored copy, and end the restore.",
  verbs: {
    get: {
      alias: "status",
      description:
        "Show whether this database is a copy, and what must be decided before money leaves; exit code 1 while it is one.",
      call: "GET /restore",
      fails: (result) => (result as { restored: boolean }).restored,
    },
    begin: {
      description:
        "Say that this database is a copy that shows no difference, such as a snapshot of a disk: nothing leaves any more.",
      flags: { reason: REASON },
      call: "POST /restore/begin",
    },
    finish: {
      description:
        "Compare the institutions with the books since the backup, and let money leave again; exit code 1 while something is undecided.",
      flags: {
        reason: REASON,
        "open-withdrawals": {
          description: "confirm_all where nothing was lost; left out: each needs a decision",
          field: "openWithdrawals",
          choices: ["decide_each", "confirm_all"],
        },
        "silent-institutions": {
          description: "accept: answer for what an institution does not show; left out: the restore is not ended",
          field: "silentInstitutions",
          choices: ["refuse", "accept"],
        },
      },
      call: "POST /restore/finish",
      fails: (result) => (result as { restored: boolean }).restored,
    },
    "expect-failover": {
      description: "Announce a failover to a replica: until then it is no restore.",
      flags: {
        minutes: { description: "1 to 60", field: "minutes", kind: "number", needed: true },
        reason: REASON,
      },
      call: "POST /restore/expect-failover",
    },
  },
};
