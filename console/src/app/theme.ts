import { createTheme, type MantineColorsTuple } from "@mantine/core";

const PIX: MantineColorsTuple = [
  ...["#EDF8F6", "#D9F0EC", "#B2E2DA", "#7FD0C4", "#3DBFB0"],
  ...["#2BA698", "#16897D", "#0B7A6F", "#086057", "#054840"],
] as unknown as MantineColorsTuple;
const GRAY: MantineColorsTuple = [
  ...["#F7F8F8", "#F0F2F2", "#E5E8E8", "#D8DDDD", "#C0C7C7"],
  ...["#949E9E", "#667070", "#454E4E", "#2A3131", "#15191A"],
] as unknown as MantineColorsTuple;
/** Shades 7 (light theme) and 4 (dark theme) are `--failed`: text in them can be read. */
const RED: MantineColorsTuple = [
  ...["#FDEEED", "#FAD9D7", "#F5B5B1", "#F3958E", "#F2786F"],
  ...["#E8675E", "#D8453E", "#BE2F29", "#97231E", "#6E1814"],
] as unknown as MantineColorsTuple;
const DARK: MantineColorsTuple = [
  ...["#E3E8E8", "#B5BEBE", "#8E9999", "#6A7575", "#343B3C"],
  ...["#272D2E", "#1B2021", "#111516", "#0D1011", "#080A0A"],
] as unknown as MantineColorsTuple;

/** In the dark Mantine outlines with the lightest shade: the button that stops withdrawals was white. */
const OUTLINED_RED = { "--button-color": "var(--failed)", "--button-bd": "1px solid var(--failed)" };

/** Mantine chooses by the light theme's red: white on the dark theme's has 2.8:1. */
const FILLED_RED = { "--button-color": "var(--page)" };

/** What a button has in place of Mantine's colours. */
function ownColours(variant: string, color: string | undefined): Record<string, string> {
  if (variant === "filled" && color === undefined) return { "--button-color": "var(--mantine-primary-color-contrast)" };
  if (color !== "red") return {};
  return variant === "filled" ? FILLED_RED : variant === "outline" ? OUTLINED_RED : {};
}

/** Mantine with our colours and sizes; what Mantine has no name for stands in tokens.css. */
export const theme = createTheme({
  primaryColor: "pix",
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: "md",
  colors: { pix: PIX, gray: GRAY, red: RED, dark: DARK },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "15px", xl: "22px" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "40px" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "12px" },
  breakpoints: { sm: "47.5em" },
  respectReducedMotion: true,
  focusRing: "auto",
  components: {
    Button: {
      defaultProps: { size: "sm" },
      vars: (_theme: unknown, props: { variant?: string; color?: string }) => ({
        root: ownColours(props.variant ?? "filled", props.color),
      }),
    },
  },
});
