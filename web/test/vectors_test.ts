/** The vectors: bytes one by one, and whole records with their verdicts. */
import { digest, frame, fromHex, hashStream, type Part, toHex } from "../check/bytes.ts";
import { ByteStream } from "../check/bytes.ts";
import { chained, readLine, readRecord, split } from "../check/chain.ts";
import { checkingChance } from "../check/chance.ts";
import { check } from "../check/check.ts";
import { checkContest } from "../check/contest.ts";
import { loadCurve } from "../check/curve.ts";
import { commitmentOf } from "../check/schemes/contest.ts";
import { hmacOf } from "../check/schemes/hmac_user.ts";
import { readReceipts } from "../check/receipts.ts";
import { atOnce } from "../check/slices.ts";
import { seal } from "../check/seals.ts";
import { read, write } from "../check/canonical.ts";
import type { Json } from "../check/json.ts";

await loadCurve();
const HERE = new URL("../../tests/", import.meta.url);

function equal(found: unknown, wanted: unknown, what = ""): void {
  const [a, b] = [write(found as Json), write(wanted as Json)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

function vectors<T>(name: string): T {
  return JSON.parse(Deno.readTextFileSync(new URL(`vectors/${name}.json`, HERE)));
}

Deno.test("digests", () => {
  for (
    const one of vectors<{ tag: string; parts: { [kind: string]: string }[]; frame: string; digest: string }[]>(
      "digests",
    )
  ) {
    const parts: Part[] = one.parts.map((part) =>
      "bytes" in part ? fromHex(part.bytes) : "text" in part ? part.text : BigInt(part.int)
    );
    equal(toHex(frame(one.tag, parts)), one.frame, one.tag);
    equal(toHex(digest(one.tag, ...parts)), one.digest, one.tag);
  }
});

Deno.test("numbers below", () => {
  for (const { n, bytes, value } of vectors<{ n: string; bytes: string; value: string }[]>("below")) {
    const all = fromHex(bytes);
    equal(new ByteStream(() => all).below(BigInt(n)).toString(), value, n);
  }
});

Deno.test("lines", () => {
  const { accepted, refused } = vectors<{ accepted: { line: string }[]; refused: (string | { line: string })[] }>(
    "lines",
  );
  for (const { line } of accepted) if (!readLine(fromHex(line))) throw new Error(`refused ${line}`);
  for (const one of refused) {
    const line = typeof one === "string" ? one : one.line;
    if (readLine(fromHex(line))) throw new Error(`accepted ${line}`);
  }
});

Deno.test("HMACs, seals, contests", () => {
  for (const { key, number, hmac } of vectors<{ key: string; number: string; hmac: string }[]>("hmac")) {
    equal(hmacOf(key, BigInt(number)), hmac);
  }
  type Sealed = {
    table: string;
    seat: number;
    step: number;
    head: string;
    key: string;
    move: string;
    commitment: string;
  };
  for (const { table, seat, step, head, key, move, commitment } of vectors<Sealed[]>("seals")) {
    equal(seal(fromHex(table), seat, { step, head }, key, read(move)?.value as Json), commitment);
  }
  type Drawn = { contest: string; game: string; run: number; seed: string; commitment: string; below_1296: number[] };
  for (const one of vectors<Drawn[]>("contest")) {
    equal(commitmentOf(one.contest, one.seed), one.commitment);
    const root = digest("fairground/contest-stream/1", one.contest, BigInt(one.game), one.run, fromHex(one.seed));
    const stream = hashStream(root);
    equal(one.below_1296.map(() => Number(stream.below(1296n))), one.below_1296);
  }
});

function exists(url: URL): boolean {
  try {
    return Deno.statSync(url).isFile;
  } catch {
    return false;
  }
}

Deno.test("whole records", () => {
  const { transcripts } = vectors<{ transcripts: { name: string }[] }>("games/index");
  for (const { name } of transcripts) {
    const bytes = Deno.readFileSync(new URL(`vectors/games/${name}.jsonl`, HERE));
    const beside = new URL(`vectors/games/${name}.receipts`, HERE);
    const table = readLine(split(bytes)[0])?.event.table;
    const receipts = exists(beside)
      ? readReceipts(Deno.readFileSync(beside), typeof table === "string" ? table : null)
      : [];
    const found = check(bytes, receipts);
    type Wanted = { [member in "verdict" | "fault" | "claims" | "payoff" | "result" | "answers" | "owed"]: unknown };
    const wanted = vectors<Wanted>(`games/${name}.verdict`);
    equal(found.verdict, wanted.verdict, name);
    equal(found.result, wanted.result, name);
    equal(found.answers, wanted.answers, name);
    equal(found.owed, wanted.owed, name);
    equal(found.fault && { code: found.fault.code, line: found.fault.line }, wanted.fault, name);
    equal(
      found.claims.map(({ name: _, ...claim }) => claim),
      wanted.claims,
      name,
    );
    equal(found.payoff, wanted.payoff, name);
    // Chance and seals can be checked without the rules.
    if (found.ok) atOnce(checkingChance(readRecord(bytes)));
  }
});

Deno.test("contest files", () => {
  const { contests } = vectors<{ contests: string[] }>("games/index");
  for (const name of contests) {
    const found = checkContest(Deno.readFileSync(new URL(`vectors/games/${name}.jsonl`, HERE)));
    const fault = found.fault && { code: found.fault.code, line: found.fault.line };
    const claims = found.claims.map(({ claim }) => claim);
    equal({ ...found, fault, claims }, vectors(`games/${name}.verdict`), name);
  }
});

Deno.test("a line changed in any byte is found", () => {
  const bytes = Deno.readFileSync(new URL("vectors/games/people-chains.jsonl", HERE));
  const ends = chained(split(bytes)).at(-1)?.text.length ?? 0;
  for (let at = 0; at < bytes.length - ends; at += 97) {
    const forged = bytes.slice();
    forged[at] ^= 1;
    if (check(forged).ok) throw new Error(`byte ${at}`);
  }
});

Deno.test("the checker is pure", () => {
  const banned =
    /\b(Deno|document|window|fetch|XMLHttpRequest|process|require|localStorage|navigator|globalThis|Date|Math\.random)\b/;
  const walk = (folder: URL) => {
    for (const entry of Deno.readDirSync(folder)) {
      const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
      if (entry.isDirectory) walk(url);
      else if (entry.name !== "cli.ts") {
        const code = Deno.readTextFileSync(url).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
        const imports = [...code.matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
        const odd = imports.filter((name) => !/^\.{1,2}\//.test(name) && !/^@noble\/(hashes|curves)\//.test(name));
        if (odd.length || banned.test(code)) throw new Error(`${entry.name}: ${odd} ${banned.exec(code)}`);
      }
    }
  };
  walk(new URL("../check/", import.meta.url));
});
