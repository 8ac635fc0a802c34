import { Button, Menu, Popover, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, type Ref, type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useSearchParams } from "wouter";
import { Icon } from "./icon.tsx";

/** Filters are stored in the address: reads a value, and makes the address with a change. */
export function useAddress() {
  const [path, go] = useLocation();
  const [search] = useSearchParams();
  const withChange = (change: Readonly<Record<string, string | null>>): string => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) {
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
    }
    return next.size > 0 ? `${path}?${next}` : path;
  };
  return {
    get: (name: string): string | null => search.get(name),
    withChange,
    change: (change: Readonly<Record<string, string | null>>) => go(withChange(change), { replace: true }),
  };
}

/** A filter of a list: its value in the address, and its control. */
export type Filter<Value extends string = string> = {
  readonly value: Value | undefined;
  readonly control: ReactNode;
  readonly isTabs?: boolean;
};

/** States as tabs. The first tab stands for an address without a state. */
export function useTabs<State extends string>(
  states: readonly State[],
  {
    name = "state",
    ...texts
  }: {
    name?: string;
    label?: string;
    first?: string;
    textOf: (state: State) => string;
    /** How many rows wait for a person in a state; shown where there are some. */
    countOf?: (state: State) => number;
  },
): Filter<State> {
  const { t } = useTranslation();
  const { get, withChange } = useAddress();
  const { label = t("charges.states"), first = t("charges.all"), textOf, countOf } = texts;
  const chosen = states.find((one) => one === get(name));
  const tabs = [{ value: undefined, text: first }, ...states.map((value) => ({ value, text: textOf(value) }))];
  const control = (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ value, text }) => (
        <Link
          key={value ?? ""}
          href={withChange({ [name]: value ?? null })}
          aria-current={chosen === value ? "true" : undefined}
        >
          {text}
          {value !== undefined && (countOf?.(value) ?? 0) > 0 && <span className="tab-count"> {countOf?.(value)}</span>}
        </Link>
      ))}
    </nav>
  );
  return { value: chosen, control, isTabs: true };
}

/** A chip with a few values that are known. */
export function useChoice<Value extends string>(
  name: string,
  label: string,
  values: readonly Value[],
  textOf: (value: Value) => string,
): Filter<Value> {
  const { get } = useAddress();
  const choices = values.map((value) => ({ value, text: textOf(value) }));
  return {
    value: values.find((one) => one === get(name)),
    control: <ChoiceChip name={name} label={label} choices={choices} />,
  };
}

/** Moves the focus to the filters, because the pressed button disappears. */
export function focusFilters(): void {
  const first = document.querySelector<HTMLElement>("main .chip") ?? document.getElementById("content");
  first?.focus({ preventScroll: true });
}

/**
 * A chip without a value and one with a value are different elements: when the person sets or removes the value, the
 * focus moves from one to the other.
 */
function useChipFocus(isChosen: boolean): { readonly chip: RefObject<HTMLButtonElement | null>; onAct: () => void } {
  const chip = useRef<HTMLButtonElement>(null);
  const hasActed = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the other element is there
  useEffect(() => {
    if (hasActed.current) chip.current?.focus();
    hasActed.current = false;
  }, [isChosen]);
  const onAct = () => {
    hasActed.current = true;
  };
  return { chip, onAct };
}

/** A filter with a few values: dashed until one is chosen. */
export function ChoiceChip({
  name,
  label,
  choices,
}: {
  name: string;
  label: string;
  choices: readonly { readonly value: string; readonly text: string }[];
}) {
  const address = useAddress();
  const chosen = choices.find(({ value }) => value === address.get(name));
  const { chip, onAct } = useChipFocus(chosen !== undefined);
  const choose = (value: string | null) => {
    onAct();
    address.change({ [name]: value });
  };
  if (chosen) return <ChosenChip chip={chip} label={label} text={chosen.text} onRemove={() => choose(null)} />;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className="chip add" ref={chip}>
          <Icon name="plus" size={12} /> {label}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ value, text }) => (
          <Menu.Item key={value} onClick={() => choose(value)}>
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A filter that has a value; pressed, it has none any more. */
function ChosenChip(props: { chip: Ref<HTMLButtonElement>; label: string; text: string; onRemove: () => void }) {
  const { chip, label, text, onRemove } = props;
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className="chip"
      ref={chip}
      onClick={onRemove}
      aria-label={t("filters.remove", { filter: `${label} ${text}` })}
    >
      {label} <strong className="cut">{text}</strong> <Icon name="close" size={12} />
    </button>
  );
}

type Change = Readonly<Record<string, string | null>>;

/**
 * A filter whose value is typed in a small form: dashed until it has one. `chosen` describes the value in words; `read`
 * returns the form's value for the address, or null where it is invalid: then the form shows `missing`. `choices` are values that
 * need no typing, above the fields.
 */
export function TypedChip({
  label,
  names,
  chosen,
  read,
  missing,
  choices = [],
  children,
}: {
  label: string;
  names: readonly string[];
  chosen: string | null;
  read: () => Change | null;
  missing: string;
  choices?: readonly { readonly text: string; readonly change: Change }[];
  children: ReactNode;
}) {
  const address = useAddress();
  const { chip, onAct } = useChipFocus(chosen !== null);
  if (chosen !== null) {
    const remove = () => {
      onAct();
      address.change(Object.fromEntries(names.map((name) => [name, null])));
    };
    return <ChosenChip chip={chip} label={label} text={chosen} onRemove={remove} />;
  }
  const apply = (change: Change | null) => {
    if (change === null) return false;
    onAct();
    address.change(change);
    return true;
  };
  return (
    <TypedForm label={label} apply={() => apply(read())} missing={missing} chip={chip}>
      {choices.length > 0 && (
        <div className="chip-choices">
          {choices.map(({ text, change }) => (
            <button key={text} type="button" onClick={() => apply(change)}>
              {text}
            </button>
          ))}
        </div>
      )}
      {children}
    </TypedForm>
  );
}

/** A filter by one typed text. `read` returns the text as the API accepts it, or null where it accepts none. */
export function TextChip(props: {
  name: string;
  label: string;
  field: string;
  description?: string;
  maxLength: number;
  read: (text: string | null) => string | null;
  missing: string;
}) {
  const { name, label, field, description, maxLength, read, missing } = props;
  const address = useAddress();
  const [text, setText] = useState("");
  const value = read(text);
  return (
    <TypedChip
      label={label}
      names={[name]}
      chosen={read(address.get(name))}
      read={() => (value === null ? null : { [name]: value })}
      missing={missing}
    >
      <TextInput
        label={field}
        description={description}
        autoComplete="off"
        maxLength={maxLength}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </TypedChip>
  );
}

/** A dashed chip that opens a small form. `apply` takes it, or returns false where it is invalid: then it shows `missing`. */
export function TypedForm(props: {
  label: string;
  apply: () => boolean;
  missing: string;
  chip?: Ref<HTMLButtonElement>;
  children: ReactNode;
}) {
  const { label, missing, chip, children } = props;
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isTaken = props.apply();
    setRefused(!isTaken);
    if (!isTaken) return event.currentTarget.querySelector("input")?.focus();
    setOpen(false);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={() => setRefused(false)}
      position="bottom-start"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button type="button" className="chip add" ref={chip} onClick={() => setOpen(!isOpen)}>
          <Icon name="plus" size={12} /> {label}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form className="chip-form" onSubmit={apply} onChange={() => setRefused(false)}>
          {children}
          {isRefused && (
            <p className="small failed-text" role="alert">
              {missing}
            </p>
          )}
          <Button type="submit">{t("filters.apply")}</Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
