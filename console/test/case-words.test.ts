/** What cases say, in both languages: whatever evidence the gateway's source makes has its text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type Data, sentencesOf, type Value } from "../src/operator/cases/sentences.ts";
import { subjectOf } from "../src/operator/cases/subject.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const LANGUAGES = ["pt-BR", "en"] as const;
type Texts = { readonly [key: string]: string | Texts };
const textsOf = (language: string) => JSON.parse(read(`console/src/texts/operator.${language}.json`)) as Texts;

function textAt(language: string, key: string, group = "says"): string {
  const found = (path: string) =>
    path.split(".").reduce<string | Texts | undefined>((at, part) => (at as Texts)?.[part], textsOf(language)[group]);
  const text = found(key) ?? found(`${key}_other`);
  assert.ok(typeof text === "string", `${language} lacks operator.${group}.${key}`);
  return text;
}

const isGiven = (value: Value): boolean => {
  const [inner] = Object.values(value) as unknown[];
  return "centavos" in value ? typeof inner === "number" : typeof inner === "string" || typeof inner === "number";
};

/** The keys of what a case says, each with a text in both languages and every value of it. */
function keysOf(kind: string, data: Data): string[] {
  const sentences = sentencesOf(kind, data);
  for (const { key, values } of sentences) {
    for (const [name, value] of Object.entries(values)) assert.ok(isGiven(value), `${key} lacks its ${name}`);
    for (const language of LANGUAGES) {
      const braces = [...textAt(language, key).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
      assert.deepEqual(new Set(braces), new Set(Object.keys(values)), `the values of ${key} in ${language}`);
    }
  }
  return sentences.map(({ key }) => key);
}

const AT = "2026-11-23T14:32:00.000Z";
const PAYOUT = { status: "processing", amount: 1_000, e2eId: null, shownUnreadable: 0, failure: null };
const SHOWN = { ...PAYOUT, shownStatus: "settled", shownAmount: 1_000, shownReturned: 0 };
const DRIFT = { theirs: 1_000, ours: 1_500, difference: -500 };
/** Data of each kind of case as the gateway makes it. */
const EVIDENCE: Readonly<Record<string, Data>> = {
  payout_unresolved: { since: AT, mayHaveLeft: true, e2eId: null },
  payout_contradiction: { ...SHOWN, shownAmount: 900 },
  payout_awaiting_bank: { amount: 1_000, e2eId: null },
  payout_unconfirmed: { amount: 1_000 },
  installation_restored: { epoch: 1, since: AT, withdrawals: 3, amount: 1_000 },
  return_unresolved: { e2eId: "E1", pspId: "D1", purpose: "refund", since: AT },
  return_failed: { e2eId: "E1", pspId: "D1" },
  block_without_return: { caseId: "C1", e2eId: "E1", acceptedAt: AT },
  block_overdue: { caseId: "C1", e2eId: "E1", heldUntil: AT },
  unmatched_receipt: { e2eId: "E1", txid: null, paidAt: AT },
  balance_drift: DRIFT,
  reconciliation_difference: { day: "2026-11-23", kind: "entries", state: "unasked", count: 2 },
  books_broken: { invariant: "L1", place: { kind: "books", id: "a" }, figures: { sum: 1 } },
  wallet_debt: { since: AT, owed: 1_000 },
  block_contradicted: { caseId: "C1", e2eId: "E1", walletId: "W1", caseStatus: "rejected", amount: 1_000 },
  second_person_needed: { operation: "adjustments.create", by: "Ana", wanted: "give R$ 500.00" },
  treasury_entry: {
    kind: "sweep",
    amount: 1_000,
    toInstitutionId: null,
    occurredAt: AT,
    reference: null,
    description: null,
  },
  token_expiring: { name: "cron", expiresAt: AT },
  certificate_expiring: { expiresAt: AT },
};

describe("what a case says", () => {
  test("has a text in both languages for every kind of case", () => {
    const [, kinds] = /CASE_KINDS = \{\n([\s\S]*?)\n\} as const/.exec(read("gateway/src/cases/case.ts"))!;
    const made = [...kinds!.matchAll(/^ {2}(\w+): \{/gm)].map(([, kind]) => kind!);
    assert.deepEqual(made.sort(), Object.keys(EVIDENCE).sort());
    for (const kind of made) assert.notDeepEqual(keysOf(kind, EVIDENCE[kind]!), [], kind);
  });

  test("says what it is about in words, in both languages, and what kind of case it is", () => {
    for (const [kind, data] of Object.entries(EVIDENCE)) {
      const subject = subjectOf(kind, "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11", data);
      for (const language of LANGUAGES) {
        for (const group of ["kind", "kindText"]) assert.notEqual(textAt(language, kind, group), "");
        if (subject !== null) assert.notEqual(textAt(language, subject.key, "subject"), "");
      }
    }
    const about = (data: Data) => subjectOf("reconciliation_difference", "institution sent E1", data);
    const day = "2026-11-23";
    const href = `/operator/reconciliation?day=${day}`;
    assert.deepEqual(about({ kind: "sent", key: "E1", day }), { key: "sent", id: "E1", day, href });
    assert.deepEqual(about({ kind: "infractions", state: "unlisted" }), { key: "list.infractions", id: "" });
    // Of a newer gateway: its id, and no word that says another thing.
    assert.deepEqual(subjectOf("newer", "x"), { key: "", id: "x" });
    const [, kinds] = /ENTRY_KINDS = \[(.*)\]/.exec(read("gateway/src/reconciliation/compare.ts"))!;
    const lists = [...read("gateway/src/booking/report-unread.ts").matchAll(/^ {2}(\w+): \{$/gm)];
    assert.ok(lists.length >= 4, "the lists are found in the gateway's source");
    for (const language of LANGUAGES) {
      for (const [, kind] of kinds!.matchAll(/"(\w+)"/g)) assert.notEqual(textAt(language, kind!, "subject"), "");
      for (const [, list] of lists) assert.notEqual(textAt(language, `list.${list}`, "subject"), "");
    }
  });

  test("has a text for each reason why a day was not compared whole", () => {
    for (const language of LANGUAGES) {
      for (const key of ["tooOld", "unreadable"]) assert.notEqual(textAt(language, key, "reconciliation"), "");
      assert.notEqual(textAt(language, "unasked"), "");
    }
    const source = read("gateway/src/reconciliation/stopped.ts");
    assert.deepEqual(
      [...source.matchAll(/state: "(\w+)"/g)].map(([, state]) => state),
      ["unreadable_items", "unasked"],
    );
    for (const [, state] of source.matchAll(/state: "(\w+)"/g)) {
      assert.ok(read("console/src/operator/words.ts").includes(`"${state}"`), state);
    }
  });

  test("has every contradiction of a payout that the gateway finds, from each status of the books", () => {
    const known: Readonly<Record<string, readonly [Data, string]>> = {
      "`it shows ${payout.amount} centavos`": [{ shownAmount: 900 }, "amount"],
      '"it shows the payment of another withdrawal"': [{ shownAnothers: true }, "anothers"],
      '"it has given it a second id, and may have paid it twice"': [{ shownIds: 2 }, "secondId"],
      '"it failed, and was given back"': [{ shownStatus: "failed", shownReturned: 400 }, "failedAndReturned"],
      '"it shows it as failed, and it was completed"': [{ status: "completed", shownStatus: "failed" }, "failed"],
      '"it shows a status that this gateway does not know"': [{ shownStatus: "unrecognised" }, "unrecognised"],
      '"it shows it as paid, and nobody has approved it here"': [{ status: "pending" }, "unapproved"],
      '"it shows it as under way, and nobody has approved it here"': [
        { status: "pending", shownStatus: "processing" },
        "unapproved",
      ],
      '"it shows it as under way"': [{ status: "failed", shownStatus: "processing" }, "underWay"],
      '"it shows a return that cannot be read"': [{ status: "completed", shownUnreadable: 1 }, "unreadableReturn"],
      '"it shows a return that cannot be told from another"': [
        { status: "completed", shownUnclear: 1 },
        "unclearReturn",
      ],
      "`${back} centavos came back`": [{ status: "completed", shownReturned: 1_200 }, "returnedMore"],
    };
    const made = [...read("gateway/src/withdrawals/resolve.ts").matchAll(/ contradiction\((["`][^"`]*["`])[^)]*\)/g)];
    assert.deepEqual(made.map(([, about]) => about).sort(), Object.keys(known).sort());
    for (const [data, key] of Object.values(known)) {
      assert.equal(keysOf("payout_contradiction", { ...SHOWN, ...data })[1], `payout_contradiction.${key}`);
    }
    const [, statuses] = /WITHDRAWAL_STATUSES = \[(.*)\]/.exec(read("gateway/src/withdrawals/withdrawal.ts"))!;
    for (const [, status] of statuses!.matchAll(/"(\w+)"/g)) {
      const [books] = keysOf("payout_contradiction", { ...SHOWN, status, shownAmount: 900 });
      assert.equal(books, `payout_contradiction.books.${status}`);
    }
  });

  test("leaves to the gateway's words what its data does not explain", () => {
    assert.deepEqual(keysOf("payout_contradiction", SHOWN), []);
    assert.deepEqual(keysOf("payout_contradiction", PAYOUT), []);
    assert.deepEqual(keysOf("of_a_newer_gateway", {}), []);
    assert.deepEqual(keysOf("reconciliation_difference", { kind: "sent", state: "differing", key: "E1" }), []);
  });

  test("has a sentence for whatever was last known of an order without an end", () => {
    const source = read("gateway/src/outgoing/latest.ts");
    const plain = [...source.matchAll(/^ {2}(\w+): "/gm)].map(([, state]) => state!);
    assert.ok(plain.length >= 8, plain.join());
    for (const state of plain) {
      const key = state.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      assert.deepEqual(keysOf("payout_unresolved", { since: AT, latest: { state } }), [
        "payout_unresolved",
        `latest.${key}`,
      ]);
    }
    const contradicts = { state: "contradicts", words: "it shows 900 centavos" };
    assert.equal(keysOf("payout_unresolved", { since: AT, latest: contradicts })[1], "latest.contradicts");
    const refused = { state: "refused", status: 422, code: "chave_invalida", words: "A chave: não vale." };
    assert.equal(keysOf("payout_unresolved", { since: AT, latest: refused })[1], "latest.refused");
    const other = { state: "other_amount", amount: 1_230 };
    assert.deepEqual(sentencesOf("return_unresolved", { since: AT, latest: other })[1], {
      ...{ key: "latest.otherAmount", values: { amount: { centavos: 1_230 } } },
    });
    for (const [latest, ...keys] of [
      [{ state: "answered", status: 503, code: "http_503" }, "answered"],
      [{ state: "timeout", code: "timeout" }, "timeout"],
      [{ state: "nobody_listens", code: "ECONNREFUSED" }, "nobodyListens"],
      [{ state: "nobody_listens", code: "ECONNREFUSED", call: "token" }, "noToken", "nobodyListens"],
      [{ state: "answered", status: 401, code: "http_401", call: "token" }, "noToken", "answered"],
      [{ state: "unknown", code: "of_a_newer_gateway" }, "words"],
    ] as const) {
      for (const kind of ["payout_unresolved", "return_unresolved"]) {
        assert.deepEqual(
          keysOf(kind, { since: AT, latest }).slice(1),
          keys.map((key) => `latest.${key}`),
        );
      }
    }
  });

  test("has a sentence for each meaning of a call without an answer that the gateway knows", () => {
    const [, table] = /const MEANINGS[^=]*= \[\n([\s\S]*?)\n\];/.exec(read("gateway/src/psp/reason.ts"))!;
    const states = [...table!.matchAll(/\/,\s+"(\w+)",/g)].map(([, state]) => state!);
    assert.ok(states.length > 5, states.join());
    for (const state of states) keysOf("return_unresolved", { since: AT, latest: { state, code: "c" } });
  });

  test("has every rule of the books in both languages, in English in the words of the documentation", () => {
    const listed = [...read("docs/money.md").matchAll(/^- \*\*(\w\d+)\*\*: (.+)$/gm)];
    const rules = (language: string) =>
      (JSON.parse(read(`console/src/texts/operator.${language}.json`)) as { rule: Record<string, string> }).rule;
    assert.deepEqual(rules("en"), Object.fromEntries(listed.map(([, name, says]) => [name, says])));
    for (const [name, says] of Object.entries(rules("en"))) assert.notEqual(rules("pt-BR")[name], says);
  });

  test("has the reason of a freeze", () => {
    const [, reason] = /const reason = "(.*)";/.exec(read("gateway/src/auditor/findings.ts"))!;
    for (const language of LANGUAGES) {
      const texts = JSON.parse(read(`console/src/texts/operator.${language}.json`)) as Record<string, Texts>;
      assert.equal(typeof texts.frozenReason![reason!], "string");
    }
  });

  test("has every list of an institution that does not show all, one return that cannot be read, and one charge in an unknown status", () => {
    const [, lists] = /const LISTS = \{\n([\s\S]*?)\n\} as const/.exec(read("gateway/src/booking/report-unread.ts"))!;
    let [kind, count] = ["", 0];
    for (const [, of, state] of lists!.matchAll(/^ {2}(\w+): \{|^ {4}(\w+):/gm)) {
      if (of !== undefined) kind = of;
      if (state === undefined) continue;
      count++;
      assert.deepEqual(keysOf("reconciliation_difference", { kind, state, items: "1" }), [`list.${kind}.${state}`]);
    }
    assert.ok(count > 0);
    const one = { day: "2026-11-23", kind: "returned", state: "unreadable", key: "E1", unclear: 1 };
    assert.deepEqual(keysOf("reconciliation_difference", one), ["unreadableReturn"]);
    const charge = { kind: "charge", state: "unrecognised", key: "T1", accountId: "A1", chargeId: "C1", word: "NOVA" };
    assert.deepEqual(keysOf("reconciliation_difference", charge), ["unknownStatus"]);
    assert.deepEqual(keysOf("reconciliation_difference", { ...charge, state: "other_terms" }), ["otherTerms"]);
    assert.deepEqual(keysOf("reconciliation_difference", { ...charge, state: "edit_open" }), ["editOpen"]);
    assert.deepEqual(subjectOf("reconciliation_difference", "I1 charge T1", charge), { key: "charge", id: "T1" });
    const taxed = { kind: "received", state: "tax_unbooked", key: "E1", amount: 100 };
    assert.deepEqual(keysOf("reconciliation_difference", taxed), ["taxUnbooked"]);
    assert.deepEqual(keysOf("reconciliation_difference", { ...taxed, booked: 90 }), ["taxOther"]);
    for (const kind of ["received", "returned"]) {
      const notified = { kind, state: "unconfirmed", key: "E1", parent: "E1", amount: 700, at: AT };
      assert.deepEqual(keysOf("reconciliation_difference", notified), [`unconfirmed.${kind}`]);
    }
    const others = { kind: "more", state: "unrecognised", of: "charge", most: 100 };
    assert.deepEqual(keysOf("reconciliation_difference", others), ["more"]);
    assert.deepEqual(subjectOf("reconciliation_difference", "I1 more charge", others), { key: "list.more", id: "" });
    for (const key of ["charge", "list.more"]) {
      for (const language of LANGUAGES) assert.notEqual(textAt(language, key, "subject"), "");
    }
  });

  test("says which charge a Pix may be meant for, and which way a balance differs", () => {
    const charge = { txid: "abc", suggestedChargeId: "1", suggestedStatus: "completed" };
    assert.deepEqual(
      keysOf("unmatched_receipt", charge),
      ["otherCharge", "secondPayment"].map((key) => `unmatched_receipt.${key}`),
    );
    assert.deepEqual(
      keysOf("unmatched_receipt", { ...charge, txid: null, suggestedStatus: "pending" }),
      ["noCharge", "meantFor"].map((key) => `unmatched_receipt.${key}`),
    );
    assert.deepEqual(keysOf("balance_drift", { ...DRIFT, difference: 500 }), ["balance_drift.more"]);
    assert.deepEqual(keysOf("balance_drift", DRIFT), ["balance_drift.less"]);
    assert.deepEqual(keysOf("balance_drift", { ...DRIFT, tariffs: "unreported" }), ["balance_drift.lessUncharged"]);
  });
});
