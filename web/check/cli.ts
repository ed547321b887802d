/**
 * deno run --allow-read check/cli.ts FILE... [--receipt HEX]... [--contest FILE] [--session FILE]
 * node check.mjs FILE... (as built)
 *
 * Prints one JSON object for each file: a game, a contest's file or a session. Without a file, names are read from
 * standard input, one a line. Receipts are looked for beside the file (game.receipts). This is the only module that
 * reads files.
 */
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { readLine } from "./chain.ts";
import { check, refused } from "./check.ts";
import { checkContest } from "./contest.ts";
import { loadCurve } from "./curve.ts";
import { Fault } from "./fault.ts";
import { readReceipts, type Receipt } from "./receipts.ts";
import { checkSession } from "./session.ts";
import { split } from "./chain.ts";

function readFile(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function beside(path: string, bytes: Uint8Array): Receipt[] {
  const slash = path.lastIndexOf("/");
  const dot = path.lastIndexOf(".");
  const file = readFile((dot > slash + 1 ? path.slice(0, dot) : path) + ".receipts");
  const table = readLine(split(bytes)[0] ?? new Uint8Array(0))?.event.table;
  return file ? readReceipts(file, typeof table === "string" ? table : null) : [];
}

function judge(path: string, given: readonly Receipt[], told?: string): object {
  const bytes = readFile(path);
  try {
    if (!bytes) throw new Fault("input/unreadable", "the file cannot be read", null);
    const kind = told ?? readLine(split(bytes)[0] ?? new Uint8Array(0))?.event.kind;
    if (kind === "book") return checkContest(bytes, given);
    if (kind === "session") return checkSession(bytes);
    return check(bytes, [...beside(path, bytes), ...given]);
  } catch (error) {
    if (error instanceof Fault) return refused(error, "none");
    throw error;
  }
}

await loadCurve();
const words = argv.slice(2);
const files: [string, string?][] = [];
/** Options that say what a file is, even if its first line does not. */
const KINDS: { [option: string]: string } = { "--contest": "book", "--session": "session" };
const given: Receipt[] = [];
for (let i = 0; i < words.length; i++) {
  if (words[i] === "--receipt") given.push({ head: words[++i] ?? "", seat: null });
  else if (words[i] in KINDS) files.push([words[i + 1] ?? "", KINDS[words[i++]]]);
  else files.push([words[i]]);
}
const piped = (): [string][] => readFileSync(0, "utf8").split("\n").filter(Boolean).map((name) => [name]);
for (const [file, kind] of files.length ? files : piped()) {
  console.log(JSON.stringify({ file, ...judge(file, given, kind) }));
}
