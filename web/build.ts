/** Bundles the checker for the browser: web/dist/check.mjs. In web/: deno run -A build.ts */
import { build, stop } from "esbuild";

await build({
  entryPoints: ["check/check.ts"],
  outfile: "dist/check.mjs",
  bundle: true,
  format: "esm",
  minify: true,
  legalComments: "linked",
  target: "es2023",
  absWorkingDir: Deno.cwd(),
});
await stop();
