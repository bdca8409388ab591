import { defineConfig } from "vite";

/** Relative addresses only, so that the page also works below a proxy's path; nothing is inlined, so that the
 * server's content security policy can forbid inline code. */
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // three is one library and one chunk of its own, loaded after the page is up.
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8090" } },
});
