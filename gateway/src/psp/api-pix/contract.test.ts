import { keepsContract } from "../../../test/psp/contract.ts";
import { readsDocumentedAnswers } from "../../../test/psp/documented.ts";
import { findBank } from "../catalogue.ts";

const bank = findBank("api-pix")!;

keepsContract({
  meetings: [
    { bank, dialect: "bcb", tls: "pem" },
    { bank, dialect: "efi", tls: "none" },
    { bank, dialect: "inter", tls: "pem" },
  ],
});
readsDocumentedAnswers(bank);
