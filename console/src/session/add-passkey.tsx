import { Button, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { browserName } from "./browser-name.ts";
import type { Session } from "./calls.ts";
import { addPasskey } from "./passkey.ts";

/** Names a passkey, and has the browser make it. `isFirst`: it is what the screen is for. */
export function AddPasskey(props: { session: Session; isFirst?: boolean; onDone: (session: Session) => void }) {
  const { session, isFirst = false, onDone } = props;
  const { t } = useTranslation();
  const add = useChange((name: string) => addPasskey(session, name), onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(String(new FormData(event.currentTarget).get("passkey") ?? "").trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="second">{t("passkeys.text")}</p>
      <TextInput
        name="passkey"
        required
        withAsterisk={false}
        maxLength={60}
        label={t("passkeys.name")}
        description={t("passkeys.nameHelp")}
        defaultValue={browserName(navigator.userAgent) ?? ""}
      />
      {add.error && <Failure error={add.error} />}
      <Button type="submit" variant={isFirst ? "filled" : "default"} loading={add.isPending}>
        {t("passkeys.make")}
      </Button>
    </form>
  );
}
