/** The default look, with our colours. */
import DefaultTheme from "vitepress/theme";
import "./colours.css";

export default DefaultTheme;
