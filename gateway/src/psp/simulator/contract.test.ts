import { keepsContract } from "../../../test/psp/contract.ts";
import { readsDocumentedAnswers } from "../../../test/psp/documented.ts";
import { findBank } from "../catalogue.ts";

const bank = findBank("simulator")!;

keepsContract({
  meetings: [
    { bank, dialect: "bcb", tls: "none" },
    { bank, dialect: "efi", tls: "none" },
  ],
});
readsDocumentedAnswers(bank);
