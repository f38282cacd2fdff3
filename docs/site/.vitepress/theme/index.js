import { h } from "vue";
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

// Links that leave the guide. `target` keeps the guide's own router from following them.
const leave = (href, text) => h("a", { href, target: "_self", class: "leave" }, text);
const links = (place) => h("div", { class: `leave-links ${place}` }, [leave("/", "Open the app"), leave("/docs", "API reference")]);

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "nav-bar-content-before": () => links("in-bar"),
      "nav-screen-content-before": () => links("in-screen"),
    }),
};
