import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

/** Imports that `files` may not make: the direction is (lib, api, components) <- features <- app. */
function boundary(files, forbidden, message) {
  return {
    files,
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group: [...forbidden, "../*"], message }] }],
    },
  };
}

const features = [
  "ask",
  "documents",
  "search",
  "ground",
  "sources",
  "library",
  "snapshots",
  "entities",
  "jobs",
  "settings",
  "sample",
  "status",
];

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts", "test-results", "playwright-report"] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["eslint.config.js", "public/theme.js"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
      "@typescript-eslint/only-throw-error": [
        "error",
        { allow: [{ from: "package", name: "Redirect", package: "@tanstack/router-core" }] },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "No barrel files: import from the module that defines it." },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-console": "error",
    },
  },
  {
    files: ["src/**/*.tsx"],
    ...jsxA11y.flatConfigs.strict,
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: { ...reactHooks.configs.recommended.rules },
  },
  boundary(
    ["src/lib/**", "src/api/**"],
    ["@/components/*", "@/features/*", "@/app/*"],
    "lib and api are at the bottom: they import neither components, features nor app. Use @/ paths.",
  ),
  boundary(["src/components/**"], ["@/features/*", "@/app/*"], "components do not know features or app. Use @/ paths."),
  ...features.map((name) =>
    boundary(
      [`src/features/${name}/**`],
      ["@/app/*", ...features.filter((other) => other !== name).map((other) => `@/features/${other}/*`)],
      "a feature does not know the app or another feature; the app puts them together. Use @/ paths.",
    ),
  ),
  {
    files: ["src/**/index.{ts,tsx}"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "Program", message: "No barrel files: name the module after what it holds." },
      ],
    },
  },
  {
    files: ["scripts/**", "*.js", "*.ts", "e2e/**"],
    languageOptions: { globals: globals.node },
    rules: { "no-console": "off" },
  },
  { files: ["**/*.{js,mjs}"], ...tseslint.configs.disableTypeChecked },
  { files: ["public/**"], languageOptions: { globals: globals.browser, sourceType: "script" } },
);
