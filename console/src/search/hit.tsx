import { Spotlight } from "@mantine/spotlight";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { bareText } from "../parts/bare-text.ts";
import { showDocument } from "../parts/document.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { showMoment } from "../parts/instant.ts";
import { type Shape, State } from "../parts/state.tsx";
import type { Hit } from "./target.ts";

const SHAPES: Readonly<Record<string, Shape>> = {
  completed: "done",
  confirmed: "done",
  credited: "done",
  approved: "done",
  active: "done",
  pending: "waiting",
  creating: "waiting",
  processing: "moving",
  unmatched: "needs",
  awaiting_response: "needs",
  failed: "failed",
};

/** A text with the part tinted that was searched for; all of it where that stands in it otherwise written. */
function Tinted({ text, searched }: { text: string; searched: string }) {
  const letters = [...text.normalize("NFC")];
  const bare = letters.map((letter) => bareText(letter) || letter).join("");
  const wanted = bareText(searched);
  // Where a letter is several without its accent, the places are not the same.
  const from = bare.length === letters.length ? bare.indexOf(wanted) : -1;
  if (from < 0 || wanted === "") return <mark>{text}</mark>;
  const to = from + wanted.length;
  return (
    <>
      {letters.slice(0, from).join("")}
      <mark>{letters.slice(from, to).join("")}</mark>
      {letters.slice(to).join("")}
    </>
  );
}

/** One line of what a search for `text` found: who, what it is, its state and its amount. What the text matched is tinted. */
export function SearchHitLine(props: {
  hit: Hit;
  text: string;
  icon: IconName;
  account: string | null;
  onOpen(): void;
}) {
  const { hit, icon, account, onOpen } = props;
  const { i18n } = useTranslation();
  const tinted = (by: Hit["by"], text: string) => (hit.by === by ? <Tinted text={text} searched={props.text} /> : text);
  const about = [
    hit.reference && tinted("reference", hit.reference),
    account,
    hit.subAccount,
    hit.document && tinted("document", showDocument(hit.document)),
    hit.by === "e2eId" && hit.e2eId && <mark>{hit.e2eId}</mark>,
    showMoment(new Date(hit.at), i18n.language),
  ].filter((one) => one !== null && one !== undefined && one !== "" && one !== false);
  return (
    <Spotlight.Action onClick={onOpen}>
      <span className="search-hit">
        <Icon name={icon} />
        <span>
          <span className="search-name">
            {hit.name === undefined ? (hit.reference ?? hit.id) : tinted("name", hit.name)}
          </span>
          <span className="search-about">
            {about.map((part, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line have an order and no name
              <span key={i}>
                {i > 0 && <span className="search-dot"> · </span>}
                {part}
              </span>
            ))}
          </span>
        </span>
        {hit.status !== undefined && <State shape={SHAPES[hit.status] ?? "ended"}>{wordOf(hit)}</State>}
        <span className="num">
          {hit.amount !== undefined && tinted(hit.by === "amount" ? "amount" : "amountOnDay", showBrl(hit.amount))}
        </span>
      </span>
    </Spotlight.Action>
  );
}

/** The words of the kind's own screen; the code itself where it has none. */
function wordOf({ kind, status = "" }: Hit): string {
  const keys = [`search.${kind}.${status}`, `${kind}s.state.${status}`, `search.status.${status}`];
  const key = keys.find((one) => i18next.exists(one));
  return key === undefined ? status : i18next.t(key);
}
