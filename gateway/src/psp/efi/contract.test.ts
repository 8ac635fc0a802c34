import { keepsContract } from "../../../test/psp/contract.ts";
import { readsDocumentedAnswers } from "../../../test/psp/documented.ts";
import { findBank } from "../catalogue.ts";

const bank = findBank("efi")!;

keepsContract({
  meetings: [
    { bank, dialect: "bcb", tls: "none" },
    { bank, dialect: "efi", tls: "p12" },
  ],
});
readsDocumentedAnswers(bank);
