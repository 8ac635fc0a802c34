import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import { Button, PasswordInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { callConsole, type Session } from "./calls.ts";

/** The server takes no shorter one. */
const SHORTEST_PASSWORD = 15;

/** Chooses a password. `isFirst`: nothing else of the screen comes before it. */
export function NewPassword(props: {
  session: Session;
  button: string;
  isFirst?: boolean;
  /** The person has other sessions, which a new password ends. */
  endsOthers?: boolean;
  onDone?: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { session, button, isFirst = true, onDone } = props;
  const choose = useChange(
    (password: string) => callConsole<void>("POST", "/me/password", { password }, session.csrfToken),
    onDone,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    choose.mutate(String(new FormData(event.currentTarget).get("password") ?? ""));
  };
  return (
    <form className="stack" onSubmit={submit}>
      {/* A password manager keeps the password under this name. */}
      <input type="hidden" name="username" autoComplete="username" value={session.person.email ?? ""} readOnly />
      <PasswordInput
        name="password"
        label={t("settings.newPassword")}
        description={t(props.endsOthers ? "settings.passwordEnds" : "settings.passwordHelp", {
          count: SHORTEST_PASSWORD,
        })}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={SHORTEST_PASSWORD}
        maxLength={200}
        visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
      />
      {choose.error && <Failure error={choose.error} />}
      {choose.isSuccess && props.children}
      <Button type="submit" variant={isFirst ? "filled" : "default"} loading={choose.isPending}>
        {button}
      </Button>
    </form>
  );
}
