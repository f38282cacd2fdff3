// The guide: docs/guide in, dist out. The server serves the result under /docs/guide/.
import { defineConfig } from "vitepress";
import { highlight } from "./highlight.mjs";

/** The pages lie outside of this folder, where Node would not find Vue. The bundle that renders them lies inside. */
const vueOfThisFolder = {
  name: "vue-of-this-folder",
  enforce: "pre",
  resolveId: (id, _, { ssr }) => (ssr && /^vue(\/server-renderer)?$/.test(id) ? { id, external: true } : null),
};

/** Parts of the theme that no page uses. Their scripts are left out by themselves, their styles by this. */
const UNUSED = /\/(VPHome|VPHero|VPFeature|VPTeam|VPSponsor|VPCarbonAds|VPDocAsideCarbonAds|VPDocAsideSponsors|VPAlgolia|VPSocialLink|VPNavBarTranslations|VPNavScreenTranslations|VPButton|VPBadge|vp-sponsor|vp-code-group)/;
const dropUnusedStyles = {
  postcssPlugin: "drop-unused-styles",
  Once(root) {
    if (UNUSED.test(root.source.input.file ?? "")) root.removeAll();
  },
};

export default defineConfig({
  title: "Ibid guide",
  description: "How to use Ibid: add sources, ask, write and cite, connect agents, and run the server.",
  lang: "en",
  base: "/docs/guide/",
  srcDir: "../guide",
  outDir: "./dist",
  cacheDir: "./.cache",
  // Links end in .html, so that plain files are enough to serve them.
  cleanUrls: false,
  // Page data in a file of its own: the server's policy forbids inline scripts.
  metaChunk: true,
  lastUpdated: false,
  // The same key as the web app's, so that both have the theme that was chosen in either.
  appearance: { storageKey: "ibid.theme", initialValue: "auto" },
  head: [
    // Drawn here, so that the guide needs no file of the app.
    ["link", { rel: "icon", type: "image/svg+xml", href: "/docs/guide/favicon.svg" }],
    ["meta", { name: "color-scheme", content: "light dark" }],
  ],
  markdown: { highlight },
  vite: {
    plugins: [vueOfThisFolder],
    css: { postcss: { plugins: [dropUnusedStyles] } },
    publicDir: new URL("../public", import.meta.url).pathname,
    build: { chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
  },
  themeConfig: {
    siteTitle: "Ibid",
    logo: { src: "/favicon.svg", alt: "" },
    search: { provider: "local", options: { detailedView: true, miniSearch: { searchOptions: { fuzzy: 0.15, prefix: true } } } },
    outline: { level: [2, 3], label: "On this page" },
    docFooter: { prev: "Previous", next: "Next" },
    darkModeSwitchLabel: "Theme",
    sidebarMenuLabel: "Contents",
    returnToTopLabel: "Back to the top",
    externalLinkIcon: false,
    notFound: {
      title: "Page not found",
      quote: "The guide has no page at this address. Search for it, or begin at the first page.",
      linkLabel: "go to the first page",
      linkText: "First page",
    },
    sidebar: [
      {
        text: "Begin",
        items: [
          { text: "What Ibid does", link: "/" },
          { text: "Quick start", link: "/quick-start" },
          { text: "Concepts", link: "/concepts" },
        ],
      },
      {
        text: "Use",
        items: [
          { text: "Add sources", link: "/sources" },
          { text: "Ask and search", link: "/ask-and-search" },
          { text: "How citations work", link: "/citations" },
          { text: "Write with sources", link: "/writing" },
          { text: "People and events", link: "/knowledge" },
        ],
      },
      {
        text: "Connect",
        items: [
          { text: "Agents", link: "/agents" },
          { text: "HTTP API", link: "/api" },
          { text: "Errors", link: "/errors" },
        ],
      },
      {
        text: "Run",
        items: [
          { text: "Operations", link: "/operations" },
          { text: "Configuration", link: "/configuration" },
          { text: "Command line", link: "/commands" },
        ],
      },
    ],
  },
});
