/** A choice among a few, with the sheet of its arrow, without which Home is loaded. */
import "@mantine/core/styles/Combobox.css";

export { NativeSelect } from "@mantine/core";
