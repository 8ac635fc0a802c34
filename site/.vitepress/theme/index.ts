/** The default look, with our colours and the reader's own fonts: the usual one is 140 kB, more than any page. */
import DefaultTheme from "vitepress/theme-without-fonts";
import "./colours.css";

export default DefaultTheme;
