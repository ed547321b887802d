/** A record that is followed line by line tells the same as one that is judged at once, and each line costs the same. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { Growing, telling } from "../arena/record.ts";
import { fromText, toHex } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import { type Line, readLine, readRecord, ZEROS } from "../check/chain.ts";
import { GAMES } from "../check/games/index.ts";
import { type Json, type JsonObject, object } from "../check/json.ts";
import { atOnce } from "../check/slices.ts";
import { Follower } from "../check/table.ts";
import { make, Random } from "./make.ts";

const shown = (value: unknown) =>
  JSON.stringify(value, (_, one) => typeof one === "bigint" ? `${one}n` : one instanceof Map ? [...one] : one);

/** Lines with other events, chained anew. */
function chained(events: readonly JsonObject[]): Line[] {
  let head = ZEROS;
  return events.map((event) => {
    const bytes = fromText(write(object({ ...event, prev: head })) + "\n");
    head = toHex(sha3_256(bytes));
    return { ...readLine(bytes)!, hash: head };
  });
}

/** Changes something that a house could change: a line is put in, taken out, moved, or says something else. */
function forged(lines: readonly Line[], random: Random): Line[] {
  const events = lines.map(({ event }) => event);
  const at = 1 + random.below(events.length - 1), other = 1 + random.below(events.length - 1);
  const how = random.below(6);
  if (how === 0) events.splice(at, 1);
  else if (how === 1) events.splice(other, 0, events[at]);
  else if (how === 2) [events[at], events[other]] = [events[other], events[at]];
  else if (how === 3) events.splice(at, 0, object({ kind: "void", code: "table/void", reason: "so" }));
  else if (how === 4) events.splice(at, 0, object({ kind: "end", payoff: null }));
  else {
    const names = Object.keys(events[at]).filter((name) => !["kind", "prev"].includes(name));
    events[at] = object({ ...events[at], [random.pick(names)]: random.pick<Json>([0, 1, "x", null, object({})]) });
  }
  return chained(events);
}

function differ(one: object, other: object, what: string): never {
  const names = Object.keys(one).filter((name) =>
    shown(one[name as keyof object]) !== shown(other[name as keyof object])
  );
  const short = (from: object) => names.map((name) => `${name}: ${shown(from[name as keyof object])?.slice(-300)}`);
  throw new Error(`${what}\nline by line ${short(one)}\nat once ${short(other)}`);
}

/** Line by line as at once, up to the first fault: who follows a game stops there. */
function compare(lines: readonly Line[], what: string): void {
  const follower = new Follower(), growing = new Growing();
  for (const [index, line] of lines.entries()) {
    growing.take(index + 1, line.text.slice(0, -1));
    const { lines: _, ...whole } = atOnce(telling(lines.slice(0, index + 1)));
    const { lines: __, ...grown } = growing.tell()!;
    if (shown(grown) !== shown(whole)) differ(grown, whole, `${what}, line ${index + 1}`);
    const one = atOnce(follower.take([line])), all = atOnce(new Follower().take(lines.slice(0, index + 1)));
    if (shown(one) !== shown(all)) differ(one, all, `${what}, line ${index + 1}`);
    if (whole.wrong) return;
  }
}

Deno.test("a record tells the same line by line and at once, honest or forged, known or not", () => {
  for (let i = 0; i < 40; i++) {
    const random = new Random(`following ${i}`);
    const lines = readRecord(fromText(make(random).text));
    if (lines.length > 80) continue;
    compare(lines, `record ${i}`);
    compare(forged(lines, random), `record ${i}, forged`);
    const unknown = lines.map(({ event }, at) => at ? event : object({ ...event, game: "nobody/1" }));
    compare(chained(unknown), `record ${i} of an unknown game`);
  }
});

/** How often a game of the rules is asked or told anything, and a line of the record is read, while `work` is done. */
function counting(): { wrapped: (line: Line) => Line; count: () => number; stop: () => void } {
  let calls = 0;
  const made = GAMES["zombie/2"];
  GAMES["zombie/2"] = (params) =>
    new Proxy(made(params), {
      get: (game, name) => {
        calls++;
        const value = Reflect.get(game, name);
        return typeof value === "function" ? value.bind(game) : value;
      },
    });
  const wrapped = (line: Line) => Object.defineProperty({ ...line }, "event", { get: () => (calls++, line.event) });
  return { wrapped, count: () => calls, stop: () => void (GAMES["zombie/2"] = made) };
}

/** Work for each line of a long record, in calls. */
export function workByLine(game: "zombie/2" | "nobody/1"): number[] {
  const params = object({ players: 2, brains_to_win: 400 });
  const random = new Random("a long game");
  const honest = readRecord(
    fromText(make(random, { game: "zombie/2", dealer: "hash-chains/1", leave: 0, params, turns: 900 }).text),
  );
  const lines = chained(honest.map(({ event }, at) => at ? event : object({ ...event, game })));
  const { wrapped, count, stop } = counting();
  try {
    const growing = new Growing();
    return lines.map((line) => {
      growing.lines.push(wrapped(line));
      const before = count();
      growing.tell();
      return count() - before;
    });
  } finally {
    stop();
  }
}

for (const game of ["zombie/2", "nobody/1"] as const) {
  Deno.test(`line 1,000 of ${game} is as much work as line 10`, () => {
    const work = workByLine(game);
    if (work.length < 1020) throw new Error(`the record has only ${work.length} lines`);
    const around = (line: number) => work.slice(line - 10, line + 10).reduce((sum, one) => sum + one, 0);
    const early = around(11), late = around(1000);
    if (late > 2 * early || early === 0) throw new Error(`20 lines: ${early} calls at first, ${late} at line 1,000`);
  });
}
