import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../parts/change.ts";
import { Failure } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { useSession } from "../../session/session.tsx";
import { institutionShape, institutionWord } from "../words.ts";

type Institution = operator.OperatorInstitution;

/** Between two institutions, so that an account's own priority fits between theirs. */
const STEP = 10;

/** Moves the item at `from` to `to`. */
function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const next = [...items];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/** The order in which charges try the institutions: changed by drag, or by the buttons of each row, and then saved. */
export function RouteOrder({ institutions }: { institutions: readonly Institution[] }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const save = useChange(
    async (changes: readonly { readonly id: string; readonly priority: number }[]) => {
      for (const { id, priority } of changes) await operator.institutions.update(id, { priority });
    },
    () => setWanted(null),
  );
  const used = institutions.filter(({ status }) => status !== "retired").toSorted((a, b) => a.priority - b.priority);
  if (session.installationRole !== "admin" || used.length < 2) return null;
  // What joined or left since the order was begun is at the end, or gone.
  const placeOf = ({ id }: Institution): number => {
    const place = wanted === null ? 0 : wanted.indexOf(id);
    return place === -1 ? used.length : place;
  };
  const ordered = wanted === null ? used : used.toSorted((a, b) => placeOf(a) - placeOf(b));
  const move = (from: number, to: number) => {
    if (from !== to && to >= 0 && to < ordered.length) setWanted(moved(ordered, from, to).map(({ id }) => id));
  };
  const changes = ordered
    .map((one, i) => ({ id: one.id, priority: (i + 1) * STEP, before: one.priority }))
    .filter(({ priority, before }) => priority !== before);
  return (
    <Section title={t("operator.institutions.route")}>
      <p className="small second pad-top">{t("operator.institutions.routeText")}</p>
      <ol className="route">
        {ordered.map((one, i) => (
          <li
            key={one.id}
            className={dragged === i ? "row-line dragged" : "row-line"}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              setDragged(i);
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== null) move(dragged, i);
              setDragged(null);
            }}
            onDragEnd={() => setDragged(null)}
          >
            <Step one={one} place={i} last={i === ordered.length - 1} onMove={(to) => move(i, to)} />
          </li>
        ))}
      </ol>
      {save.error && <Failure error={save.error} />}
      {wanted !== null && (
        <div className="acts">
          <Button loading={save.isPending} disabled={changes.length === 0} onClick={() => save.mutate(changes)}>
            {t("operator.institutions.saveRoute")}
          </Button>
          <Button variant="default" onClick={() => setWanted(null)}>
            {t("operator.institutions.keepRoute")}
          </Button>
        </div>
      )}
    </Section>
  );
}

type StepProps = { one: Institution; place: number; last: boolean; onMove: (to: number) => void };

function Step({ one, place, last, onMove }: StepProps) {
  const { t } = useTranslation();
  const { name } = one;
  return (
    <>
      <span className="num quiet">{place + 1}</span>
      <Mark shape={institutionShape(one)} />
      <span>
        <strong>{name}</strong>
        <span className="small quiet block">{institutionWord(one)}</span>
      </span>
      <span className="row-end route-moves">
        <MoveButton
          text="↑"
          label={t("operator.institutions.up", { name })}
          off={place === 0}
          onMove={() => onMove(place - 1)}
        />
        <MoveButton
          text="↓"
          label={t("operator.institutions.down", { name })}
          off={last}
          onMove={() => onMove(place + 1)}
        />
      </span>
    </>
  );
}

function MoveButton(props: { text: string; label: string; off: boolean; onMove: () => void }) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={props.label}
      // It keeps the focus, and looks as if it were off.
      aria-disabled={props.off}
      data-disabled={props.off || undefined}
      onClick={props.onMove}
    >
      {props.text}
    </Button>
  );
}
