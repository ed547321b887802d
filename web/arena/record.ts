/**
 * A record as this browser has it: its lines, hashed here, and what follows from them.
 * Everything that is shown of a game is computed from these lines: live, in replay and in a file that was dropped.
 */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { fromText, toHex } from "../check/bytes.ts";
import { type Line, readLine, readRecord, ZEROS } from "../check/chain.ts";
import { checkingChance } from "../check/chance.ts";
import { check, type Verdict } from "../check/check.ts";
import { Fault } from "../check/fault.ts";
import { GAMES } from "../check/games/index.ts";
import { isObject, type Json, type JsonObject } from "../check/json.ts";
import type { Receipt } from "../check/receipts.ts";
import { SCHEMES } from "../check/schemes/index.ts";
import { atOnce, type Slices } from "../check/slices.ts";
import { following } from "../check/table.ts";

/** Something that is not as it must be, and the line where that shows. */
export interface Wrong {
  line: number | null;
  code: string;
  /** What stands against it. Empty: the words follow from the code. */
  reason: string;
}

/** A record, as far as it has come. */
export interface Told {
  lines: readonly Line[];
  /** The name of its game, such as `fatestones/1`. */
  game: string;
  params: JsonObject;
  dealer: string;
  table: string;
  seats: { name: string; by: string; lends: string }[];
  /** What lies on the table behind each line; empty if the rules are not known here. */
  views: readonly unknown[];
  /** How many lines were found right, from the first. */
  checked: number;
  /** How deep this browser can check it. */
  depth: "rules" | "chance and seals" | "chain";
  asks: { kind: string; seat: number }[] | null;
  wrong: Wrong | null;
  over: boolean;
  payoff: number[] | null;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

const wrongOf = ({ line, code, reason }: Fault): Wrong => ({ line: line ?? null, code, reason });

/** What the lines tell. Nothing is taken on anybody's word. */
export const tell = (lines: readonly Line[]): Told => atOnce(telling(lines));

export function* telling(lines: readonly Line[]): Slices<Told> {
  const common = outline(lines);
  const known = Object.hasOwn(GAMES, common.game) && Object.hasOwn(SCHEMES, common.dealer);
  if (!known) return { ...common, ...yield* withoutRules(lines, common.dealer) };
  const { views, checked, asks, fault } = yield* following(lines);
  return { ...common, views, checked, asks, depth: "rules", wrong: fault && wrongOf(fault) };
}

/** A record with so many lines that no table is drawn for each: what its verdict says of it. */
export function tellLong(lines: readonly Line[], { ok, fault, depth }: Verdict): Told {
  const checked = ok ? lines.length : (fault?.line ?? 1) - 1;
  return { ...outline(lines), views: [], checked, asks: null, depth: depth === "none" ? "chain" : depth, wrong: null };
}

/** What the first line and the last one say. */
function outline(lines: readonly Line[]) {
  const start = lines[0].event;
  const seats = (Array.isArray(start.seats) ? start.seats : []).map((seat) => {
    const given = isObject(seat) ? seat : Object.create(null);
    return { name: text(given.name), by: text(given.by) || "self", lends: text(given.lends) || "nothing" };
  });
  const last = lines[lines.length - 1].event;
  const over = last.kind === "end";
  return {
    lines,
    game: text(start.game),
    params: isObject(start.params) ? start.params : Object.create(null),
    dealer: text(start.dealer),
    table: text(start.table),
    seats,
    over,
    payoff: over && Array.isArray(last.payoff) ? last.payoff as number[] : null,
  };
}

/** A game whose rules this browser does not know: chain, chance and seals can be checked all the same. */
function* withoutRules(
  lines: readonly Line[],
  dealer: string,
): Slices<Pick<Told, "views" | "checked" | "depth" | "asks" | "wrong">> {
  const depth = Object.hasOwn(SCHEMES, dealer) ? "chance and seals" : "chain";
  let wrong: Wrong | null = null;
  try {
    if (depth === "chance and seals") yield* checkingChance(lines);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const open = error.code === "fair/unopened" && lines[lines.length - 1].event.kind !== "end";
    if (!open) wrong = wrongOf(error);
  }
  return { views: [], checked: wrong?.line ? wrong.line - 1 : lines.length, depth, asks: null, wrong };
}

/** Lines that grow. What was seen once must stay. */
export class Growing {
  lines: Line[] = [];
  wrong: Wrong | null = null;

  /** Takes line `number`. False: lines before it are missing. */
  take(number: number, line: string): boolean {
    if (this.wrong) return true;
    const before = this.lines[number - 1];
    if (before) {
      if (before.text !== line + "\n") this.wrong = { line: number, code: "page/two-histories", reason: "" };
      return true;
    }
    if (number !== this.lines.length + 1) return false;
    const bytes = fromText(line + "\n");
    const read = readLine(bytes);
    const head = this.lines.at(-1)?.hash ?? ZEROS;
    if (!read) this.wrong = { line: number, code: "transcript/not-canonical", reason: "" };
    else if (read.event.prev !== head) this.wrong = { line: number, code: "page/does-not-follow", reason: "" };
    else this.lines = [...this.lines, { ...read, hash: toHex(sha3_256(bytes)) }];
    return true;
  }
}

/** A whole record from a file. */
export function fromFile(bytes: Uint8Array): Told {
  return tell(readRecord(bytes));
}

/** The verdict on a whole record, with the receipts that were kept. */
export function judge(lines: readonly Line[], receipts: readonly Receipt[]): Verdict {
  return check(fromText(lines.map((line) => line.text).join("")), receipts);
}
