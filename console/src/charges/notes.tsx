import { Button, Textarea } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { createCallKeys } from "../parts/call-keys.ts";
import { useChange } from "../parts/change.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Section } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

/** Longest note that the API takes, and most of a charge. */
const [LONGEST, MOST] = [500, 50];

/** What the merchant's own people write beside a charge; who pays never sees it. */
export function Notes({ id }: { id: string }) {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const query = useQuery({
    queryKey: [...scope, "notes", id],
    queryFn: () => pixgate.notes.list(id, { limit: MOST }).page(),
  });
  return (
    <Section title={t("notes.title")}>
      <Read query={query} lines={2}>
        {({ items }) => (
          <ul className="stack plain-list">
            {items.map((note) => (
              <OneNote key={note.id} chargeId={id} note={note} />
            ))}
          </ul>
        )}
      </Read>
      {may("PIX:WRITE") ? (
        <WriteNote id={id} />
      ) : (
        query.data?.items.length === 0 && <p className="second">{t("notes.none")}</p>
      )}
    </Section>
  );
}

function OneNote({ chargeId, note }: { chargeId: string; note: merchant.Note }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const [asked, ask] = useState(false);
  const remove = useChange(() => pixgate.notes.delete(chargeId, note.id));
  return (
    <li>
      <FreeText>{note.text}</FreeText>
      <div className="label">
        {note.createdByName} · <Moment at={note.createdAt} />
        {may("PIX:WRITE") && (
          <>
            {" · "}
            <button
              type="button"
              className="act"
              disabled={remove.isPending}
              onClick={() => (asked ? remove.mutate() : ask(true))}
            >
              {t(asked ? "notes.deleteSure" : "notes.delete")}
            </button>
          </>
        )}
      </div>
      {remove.error && <Failure error={remove.error} />}
    </li>
  );
}

function WriteNote({ id }: { id: string }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [text, setText] = useState("");
  const [keys] = useState(createCallKeys);
  const write = useChange(async (body: { text: string }) => {
    await pixgate.notes.create(id, body, { idempotencyKey: keys.keyOf(body) });
    keys.forget();
    setText("");
  });
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (text.trim() !== "") write.mutate({ text: text.trim() });
  };
  return (
    <form className="stack" onSubmit={save}>
      <Textarea
        label={t("notes.new")}
        description={t("notes.private")}
        maxLength={LONGEST}
        autosize
        minRows={2}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {write.error && <Failure error={write.error} />}
      <div>
        <Button type="submit" variant="default" loading={write.isPending} disabled={text.trim() === ""}>
          {t("notes.save")}
        </Button>
      </div>
    </form>
  );
}
