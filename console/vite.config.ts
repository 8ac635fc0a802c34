import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` finds a gateway. */
const GATEWAY = process.env.PIXGATE_URL ?? "http://127.0.0.1:8080";

/** Which modules share a file. Each file of a few hundred bytes is a request, and compresses worse than as a part of a larger one. */
const GROUPS = [
  // What at least 37 entry points need: screens, the page itself, parts that are loaded later. What 35 need has the parts of
  // forms, which Home does without: 260 kB until it is seen, in place of 249.
  { name: "common", minShareCount: 37 },
  // What Home has in common with the lists, and the navigation's counts with their screens. In files of their own these were fifteen
  // requests and 3 kB more.
  {
    name: "rows",
    test: /console\/src\/(parts\/(table|table-rows|new-rows|read-again|columns|state|money|change|look|filters|forget-views|long-list|notices)|charges\/(state|table)|app\/waiting|operator\/(unanswered|open-cases))\.tsx?$/,
    minShareCount: 2,
  },
];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [react()],
  // From its sources: the SDK needs no build of its own before the console's.
  resolve: { alias: { "@pixgate/sdk": fileURLToPath(new URL("../sdk/src/index.ts", import.meta.url)) } },
  build: {
    target: "es2022",
    // A data: address would need the policy to allow fonts and scripts from there.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: { proxy: { "/v2": GATEWAY, "/operator/v1": GATEWAY, "/console/api": GATEWAY } },
});
