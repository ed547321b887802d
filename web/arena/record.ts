/**
 * A record as this browser has it: its lines, hashed here, and what follows from them.
 * Everything that is shown of a game is computed from these lines: live, in replay and in a file that was dropped.
 */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { fromText, toHex } from "../check/bytes.ts";
import { type Line, readLine, readRecord, ZEROS } from "../check/chain.ts";
import { ChanceCheck } from "../check/chance.ts";
import type { Verdict } from "../check/check.ts";
import { Fault } from "../check/fault.ts";
import { GAMES } from "../check/games/index.ts";
import { isObject, type Json, type JsonObject } from "../check/json.ts";
import { SCHEMES } from "../check/schemes/index.ts";
import { atOnce, type Slices } from "../check/slices.ts";
import { Follower } from "../check/table.ts";

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
  /** Has a draw been hidden? */
  hides: boolean;
  /** What somebody said last to the table: the body of the note. */
  remark: JsonObject | null;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

const wrongOf = ({ line, code, reason }: Fault): Wrong => ({ line: line ?? null, code, reason });

/** What a record tells while it grows. Nothing is taken on anybody's word, and each line is judged once. */
export class Teller {
  private readonly lines: Line[] = [];
  private readonly known: boolean;
  private readonly rules = new Follower();
  private readonly chance: ChanceCheck | null;
  private wrong: Wrong | null = null;
  private hides = false;
  private remark: JsonObject | null = null;

  constructor(first: Line) {
    const { game, dealer } = first.event;
    const scheme = Object.hasOwn(SCHEMES, text(dealer));
    this.known = scheme && Object.hasOwn(GAMES, text(game));
    this.chance = this.known || !scheme ? null : this.caught(() => new ChanceCheck(first));
  }

  private caught<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.wrong = wrongOf(error);
      return null;
    }
  }

  /** Takes the lines that came since. */
  *take(added: readonly Line[]): Slices<Told> {
    const first = !this.lines.length;
    for (const line of added) {
      const { event } = line;
      this.lines.push(line);
      this.hides ||= event.kind === "dealt" && hasHidden(event);
      if (event.kind === "note" && isObject(event.body) && typeof event.body.remark === "string") {
        this.remark = event.body;
      }
    }
    const lines = this.lines.slice();
    const common = { ...outline(lines), hides: this.hides, remark: this.remark };
    if (this.known) {
      const { views, checked, asks, fault } = yield* this.rules.take(added);
      return { ...common, views, checked, asks, depth: "rules", wrong: fault && wrongOf(fault) };
    }
    if (this.chance && !this.wrong) {
      try {
        const whole = yield* this.chance.take(first ? added.slice(1) : added);
        if (!whole && common.over) throw this.chance.unopened();
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.wrong = wrongOf(error);
      }
    }
    const depth = Object.hasOwn(SCHEMES, common.dealer) ? "chance and seals" : "chain";
    const checked = this.wrong?.line ? this.wrong.line - 1 : lines.length;
    return { ...common, views: [], checked, depth, asks: null, wrong: this.wrong };
  }
}

/** What a record that is there already tells. */
export const telling = (lines: readonly Line[]): Slices<Told> => new Teller(lines[0]).take(lines);

/** Does this line hold a draw that nobody was told yet? */
export function hasHidden(event: JsonObject): boolean {
  return Array.isArray(event.draws) && event.draws.some((draw) => Array.isArray(draw) && draw[1] === null);
}

/** A record with so many lines that no table is drawn for each: what its verdict says of it. */
export function tellLong(lines: readonly Line[], { ok, fault, depth }: Verdict): Told {
  const checked = ok ? lines.length : (fault?.line ?? 1) - 1;
  const unseen = { views: [], asks: null, hides: false, remark: null, wrong: null };
  return { ...outline(lines), ...unseen, checked, depth: depth === "none" ? "chain" : depth };
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

/** Lines that grow. A line that was seen once must stay. */
export class Growing {
  readonly lines: Line[] = [];
  wrong: Wrong | null = null;
  private teller: Teller | null = null;
  private told: Told | null = null;

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
    else this.lines.push({ ...read, hash: toHex(sha3_256(bytes)) });
    return true;
  }

  /** What the lines tell so far. `null`: there are none. */
  tell(): Told | null {
    const added = this.lines.slice(this.told?.lines.length ?? 0);
    if (!added.length) return this.told;
    this.teller ??= new Teller(added[0]);
    return this.told = atOnce(this.teller.take(added));
  }
}

/** A whole record from a file. */
export const fromFile = (bytes: Uint8Array): Told => atOnce(telling(readRecord(bytes)));
