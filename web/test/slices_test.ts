/** Long work pauses often, so that a page stays alive: also where nothing is hashed. */
import { fromText } from "../check/bytes.ts";
import { readRecord } from "../check/chain.ts";
import { Evidence } from "../check/claims.ts";
import { findingReceipts, readingReceipts } from "../check/receipts.ts";
import { SLICE, type Slices } from "../check/slices.ts";
import { replay } from "../check/table.ts";

const HERE = new URL("../../tests/", import.meta.url);
const MANY = 10_000;

/** How often it pauses, and what comes of it. */
function pausing<T>(work: Slices<T>): [number, T] {
  for (let pauses = 0;; pauses++) {
    const { done, value } = work.next();
    if (done) return [pauses, value as T];
  }
}

function atLeast(found: number, wanted: number, what: string): void {
  if (found < wanted) throw new Error(`${what}: ${found} pauses, and ${wanted} are wanted`);
}

Deno.test("receipts are read and found in slices", () => {
  const hash = (line: number) => line.toString(16).padStart(64, "0");
  const text = Array.from({ length: MANY }, (_, i) => JSON.stringify({ head: hash(i), seat: 0, table: "t" })).join(
    "\n",
  );
  const [reading, receipts] = pausing(readingReceipts(fromText(text), "t"));
  atLeast(reading, MANY / SLICE, "reading");
  const lines = receipts.map(({ head }) => ({ text: "", hash: head, event: Object.create(null) }));
  const [finding, kept] = pausing(findingReceipts(lines, receipts));
  atLeast(finding, 3 * MANY / SLICE - 3, "finding");
  if (kept.length !== MANY || kept[MANY - 1].line !== MANY) throw new Error("a receipt was not found");
});

Deno.test("claims are told in slices", () => {
  const lines = readRecord(Deno.readFileSync(new URL("playthroughs/zombie-2-three--hash-chains-chain.jsonl", HERE)));
  const story = replay(lines);
  const runs = Array.from({ length: MANY }, (_, i) => story.runs[i % story.runs.length]);
  const [few] = pausing(new Evidence(story, [], false).all());
  const [many] = pausing(new Evidence({ ...story, runs }, [], false).all());
  atLeast(many, few + MANY / SLICE, "claims");
});
