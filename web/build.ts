/**
 * Builds everything for browsers: deno run -A build.ts FOLDER. The same sources give the same bytes.
 *
 * | | |
 * |---|---|
 * | index.html, main.HASH.js, style.HASH.css, ... | the page, in parts that load when they are wanted |
 * | verify.html | the checker as one file that asks nobody for anything |
 * | check.mjs | the checker for the command line |
 * | NOTICES.txt | the licences of what of others is in them |
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { build, type BuildOptions, type Metafile, stop } from "esbuild";

const [folder] = Deno.args;
const here = import.meta.dirname ?? ".";
const read = (name: string) => Deno.readTextFileSync(`${here}/${name}`);
const write = (name: string, text: string) => Deno.writeTextFileSync(`${folder}/${name}`, text);

const common = {
  absWorkingDir: here,
  bundle: true,
  charset: "utf8",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none", // NOTICES.txt has the licences in full
  metafile: true,
  minify: true,
  target: "es2022",
} as const satisfies BuildOptions;

/** A value for one module. As a text: esbuild puts objects into a part that every page loads. */
const given = (value: unknown) => JSON.stringify(JSON.stringify(value));

const sample = given({ record: read("verify/sample.jsonl"), receipts: read("verify/sample.receipts") });

/** Puts texts in the places that a template names: @name@. */
function filled(template: string, texts: Record<string, string>): string {
  return template.replace(/@(\w+)@/g, (place, name) => texts[name] ?? place);
}

/** By what a Bank on a chain is known: the hash of its code, in which its terms are blank, and where those stand. */
function bankCode() {
  const { runtime_bytecode: code, immutables } = JSON.parse(
    read("../src/fairground/bank/chain/contracts/Bank.json"),
  );
  const bytes = Uint8Array.fromHex(code.replace(/^0x/, ""));
  return { hash: keccak_256(bytes).toHex(), immutables };
}

/** The page: files with a hash in their names, so that browsers may keep them for ever. */
async function page(verifySha256: string): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ["pages/main.tsx", "style.css"],
    entryNames: "[name].[hash]",
    chunkNames: "[name].[hash]",
    assetNames: "[name].[hash]",
    loader: { ".woff2": "file" },
    define: { SAMPLE: sample, VERIFY_SHA256: JSON.stringify(verifySha256), BANK_CODE: given(bankCode()) },
    splitting: true,
    outdir: folder,
  });
  const names: Record<string, string> = {};
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint) names[entryPoint] = path.slice(path.lastIndexOf("/") + 1);
  }
  write("index.html", filled(read("pages/index.html"), { main: names["pages/main.tsx"], style: names["style.css"] }));
  return metafile;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Players for contests, which every arena hands out to bots' authors. */
const BOTS = ["python_bot.py", "bot.js", "Bot.java", "bot.sh"];

/** A source that a policy lets through: this text and no other. */
async function allowed(text: string): Promise<string> {
  return `'sha256-${(await sha256(text)).toBase64()}'`;
}

/** The checker as one file. Its policy admits its own script, style and font, and not one request. */
async function verify(): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: ["verify/main.tsx", "verify/verify.css"],
    format: "iife",
    loader: { ".woff2": "dataurl" },
    define: { SAMPLE: sample },
    outdir: "verify",
    write: false,
  });
  const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  const script = text(".js").replaceAll("</script", "<\\/script");
  const style = text(".css");
  const policy = [
    "default-src 'none'",
    `script-src ${await allowed(script)}`,
    `style-src ${await allowed(style)}`,
    "font-src data:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  write("verify.html", filled(read("verify/verify.html"), { policy, style, script }));
  return metafile;
}

/** The checker for Node and Deno. */
async function command(): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ["check/cli.ts"],
    platform: "neutral",
    external: ["node:*"],
    outfile: `${folder}/check.mjs`,
  });
  return metafile;
}

/** The licences of all packages of which something is in what was built. */
function notices(built: readonly Metafile[]): string {
  const folders = new Map<string, string>();
  for (const { inputs } of built) {
    for (const path of Object.keys(inputs)) {
      const [, folder, name] = path.match(/(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//) ?? [];
      if (name) folders.set(name, folder);
    }
  }
  const licence = ([name, folder]: [string, string]) => {
    const { version, license } = JSON.parse(read(`${folder}/package.json`));
    return `${name} ${version} (${license})\n\n${read(`${folder}/LICENSE`).trim()}\n`;
  };
  return [...folders].sort().map(licence).join("\n\n");
}

// A file cannot contain its own hash, so the page tells that of verify.html, and is built after it.
const first = await Promise.all([verify(), command()]);
const built = [...first, await page((await sha256(Deno.readTextFileSync(`${folder}/verify.html`))).toHex())];
write("NOTICES.txt", notices(built));
for (const name of BOTS) write(name, read(`../examples/bots/${name}`));
await stop();
