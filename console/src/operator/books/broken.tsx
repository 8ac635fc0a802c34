import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { Facts, Sums } from "../../parts/facts.tsx";
import { showDay, startOfDay } from "../../parts/instant.ts";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { useNames } from "../reads.ts";
import { movementWord, wordOf } from "../words.ts";
import { type Broken, factsOf, type Thing, type Value } from "./detail.ts";

/** Where a rule of the books is broken, fact by fact; two amounts that should be one stand above what they differ by. */
export function BrokenFacts({ accountId, ...broken }: Broken & { readonly accountId: string }) {
  const { t } = useTranslation();
  const nameOfFact = (key: string) => t(`operator.books.fact.${key}`, key);
  const facts = factsOf(broken);
  const amounts = facts.flatMap(([key, value]) => ("centavos" in value ? [[key, value.centavos / 100] as const] : []));
  const [difference] = amounts.filter(([key]) => key === "difference");
  const numbers = facts.flatMap(([key, value]) => (key === NUMBER && "count" in value ? [value.count] : []));
  const listed = facts.filter(([key, value]) => key !== NUMBER && !(difference !== undefined && "centavos" in value));
  return (
    <div className="broken">
      <Facts
        facts={listed.map(([key, value]) => [nameOfFact(key), <Shown key={key} value={value} accountId={accountId} />])}
      />
      {difference !== undefined && (
        <Sums
          lines={amounts.filter((one) => one !== difference).map(([key, brl]) => [nameOfFact(key), brl])}
          total={[nameOfFact("difference"), difference[1]]}
        />
      )}
      {numbers.map((number) => (
        <p key={number} className="small quiet num">
          {nameOfFact(NUMBER)} {number}
        </p>
      ))}
    </div>
  );
}

/** The number that the books give a ledger account: for who looks in the database, below the rest. */
const NUMBER = "ledgerAccount";
/** What the auditor says where there should be something. */
const NONE = "none";
const bookWord = (word: string): string => wordOf("books.word", word);

function Shown({ value, accountId }: { value: Value; accountId: string }) {
  const { i18n } = useTranslation();
  if ("centavos" in value) return <strong className="num">{showBrl(value.centavos / 100)}</strong>;
  if ("count" in value) return <span className="num">{value.count.toLocaleString(i18n.language)}</span>;
  if ("at" in value) return <Moment at={value.at} seconds />;
  if ("movement" in value) return value.movement === NONE ? bookWord(NONE) : movementWord(value.movement);
  if ("action" in value) return wordOf("audited", value.action);
  if ("word" in value) return bookWord(value.word);
  if ("code" in value) return <span className="mono">{value.code}</span>;
  if ("thing" in value) return <Opens thing={value.thing} accountId={accountId} />;
  return (
    <Link href={`/operator/close?day=${value.day}`} className="link">
      {showDay(startOfDay(value.day), i18n.language)}
    </Link>
  );
}

/** The operator's screen of an object. */
function screenOf({ kind, id }: Thing): string | null {
  if (kind === "withdrawal") return `/operator/withdrawals?open=${id}`;
  if (kind === "institution") return `/operator/institutions?open=${id}`;
  if (kind === "account") return `/operator/accounts/${id}`;
  return kind === "treasury" ? `/operator/treasury?open=${id}` : null;
}

/** The screen on which the account itself sees an object. */
function screenInAccount({ kind, id }: Thing): string | null {
  if (kind === "charge") return `/charges/${id}`;
  if (kind === "block") return `/blocks/${id}`;
  return kind === "refund" ? `/transactions?open=${id}` : null;
}

/** An object's id, opened where a screen shows it: the operator's, or the account's, which its audit log then says. */
function Opens({ thing, accountId }: { thing: Thing; accountId: string }) {
  const { t } = useTranslation();
  const { session, see } = useSession();
  const [, go] = useLocation();
  const nameOf = useNames();
  if (thing.id === NONE) return bookWord(NONE);
  const id = thing.kind === "account" ? nameOf(thing.id) : <span className="mono">{thing.id}</span>;
  const [own, seen] = [screenOf(thing), screenInAccount(thing)];
  if (own !== null) {
    return (
      <Link href={own} className="link">
        {id}
      </Link>
    );
  }
  // Support sees no account: the gateway refuses it.
  if (seen === null || session.installationRole === "support") return id;
  const open = () => {
    see({ accountId, name: nameOf(accountId) });
    go(seen);
  };
  return (
    <button type="button" className="act words" title={t("operator.accounts.seeText")} onClick={open}>
      {id}
    </button>
  );
}
