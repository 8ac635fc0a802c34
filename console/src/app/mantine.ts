/**
 * The styles of the Mantine components that Home and the door show; a component that is used for the first time is added here.
 * Those of Checkbox, Radio, ActionIcon, PasswordInput, Drawer, Modal and NativeSelect are imported by the few files that show them: Home
 * is loaded without these, and without the sheet of variables, which the provider writes itself.
 */
import "@mantine/core/styles/baseline.css";
import "@mantine/core/styles/global.css";
import "@mantine/core/styles/UnstyledButton.css";
import "@mantine/core/styles/Loader.css";
import "@mantine/core/styles/Input.css";
import "@mantine/core/styles/Popover.css";
import "@mantine/core/styles/Button.css";
import "@mantine/core/styles/Menu.css";
