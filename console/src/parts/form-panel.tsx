import { Button } from "@mantine/core";
import type { CallOptions } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { createCallKeys } from "./call-keys.ts";
import { Failure } from "./feedback.tsx";
import { Panel } from "./panel.tsx";
import { readAgain } from "./read-again.ts";
import "./form-panel.css";

/** A text field as it was typed, without spaces around it; "" where the form has none of the name. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** For a POST that must not be done twice, whatever became of an earlier try with the same body. */
export type Once = Pick<Required<CallOptions>, "idempotencyKey">;

type ActButton = { text: string; disabled?: boolean; color?: string };

/** A panel with a form that makes or changes something. Closing it forgets what was typed, and asks first. */
export function FormPanel<Body, Answer>(props: {
  title: string;
  opened: boolean;
  /** Clears what the caller has stored of the form, too. */
  onClose: () => void;
  /** What is sent; null where the form does not hold it yet. */
  read: (form: FormData) => Body | null;
  save: (body: Body, once: Once) => Promise<Answer>;
  /** Where the person goes once the lists show what was saved; left out, the panel closes. */
  onSaved?: (answer: Answer) => void;
  /** What the panel shows in place of the form once it is saved. */
  saved?: (answer: Answer, close: () => void) => ReactNode;
  /** The result is shown once: closing asks first. */
  shownOnce?: boolean;
  /** What cannot be undone: it stays in sight with the button. */
  note?: string;
  button: ActButton;
  children: ReactNode;
}) {
  const { title, opened, read, onSaved, saved, shownOnce = false, note, button, children } = props;
  const queries = useQueryClient();
  const [written, setWritten] = useState(false);
  const [keys] = useState(createCallKeys);
  const forget = () => {
    save.reset();
    keys.forget();
    setWritten(false);
  };
  const close = () => {
    forget();
    props.onClose();
  };
  const save = useMutation({
    mutationFn: (body: Body) => props.save(body, { idempotencyKey: keys.keyOf(body) }),
    onSuccess: async (answer) => {
      const listed = readAgain(queries);
      if (onSaved !== undefined) {
        await listed;
        forget();
        onSaved(answer);
      } else if (saved === undefined) close();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = read(new FormData(event.currentTarget));
    if (body !== null) save.mutate(body);
  };
  const shown = saved !== undefined && save.data !== undefined ? saved(save.data, close) : undefined;
  const done = shown !== undefined;
  return (
    <Panel title={title} opened={opened} onClose={close} unsaved={written && (!done || shownOnce)}>
      {done ? (
        shown
      ) : (
        <form className="stack" onSubmit={submit} onChange={() => setWritten(true)}>
          {children}
          {save.error && <Failure error={save.error} />}
          <Act note={note} button={button} isSaving={save.isPending} />
        </form>
      )}
    </Panel>
  );
}

/** The button that saves, below what pressing it means. */
function Act(props: { note: string | undefined; button: ActButton; isSaving: boolean }) {
  const { note, button, isSaving } = props;
  const { text, disabled = false, color } = button;
  return (
    <div className="form-act">
      {note !== undefined && <p className="small second">{note}</p>}
      <Button type="submit" loading={isSaving} {...(color !== undefined && { color })} disabled={disabled}>
        {text}
      </Button>
    </div>
  );
}
