/** A record as steps in plain words: what each line says, what was computed for it, and whether it holds. */
import type { ComponentChildren } from "preact";
import type { Working } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import { isObject, type Json, type JsonObject, object } from "../check/json.ts";
import type { Following } from "../check/table.ts";
import type { Examined, RawLine } from "./examine.ts";
import { type Happening, happening } from "./pictures.tsx";
import { faults, name, otherFault, outside, points, steps as words } from "./words.ts";

export interface Step {
  /** The lines that it is about. None: all. */
  lines: readonly number[];
  /** Whose step it is. */
  by: "house" | "self" | null;
  title: string;
  words?: string;
  picture?: ComponentChildren;
  workings: readonly Working[];
  /** Lines to show in full. */
  shown: readonly number[];
  good: boolean;
  /** Where the record and the check differ. */
  difference?: readonly Difference[];
}

/** What stands there, and what should; each behind what it is called. */
export interface Difference {
  recorded: readonly [name: string, value: string];
  computed: readonly [name: string, value: string];
}

const CHAIN = ["transcript/broken-chain", "transcript/not-canonical", "transcript/line-ends", "transcript/malformed"];

/** The steps of a record, the last of which is bad if it does not hold. */
export function stepsOf({ verdict, lines, following }: Examined): Step[] {
  const { fault } = verdict;
  if (!lines.length || verdict.depth === "none") {
    return fault && fault.line !== null && CHAIN.includes(fault.code)
      ? [brokenChain(fault.line, fault.code, lines)]
      : [];
  }
  const out: Step[] = [{
    lines: [],
    by: null,
    title: words.chain,
    words: words.chainWords(lines.length),
    workings: [],
    shown: lines.length > 1 ? [lines.length - 1, lines.length] : [1],
    good: true,
  }];
  if (following) out.push(...new Telling(lines, following).steps());
  if (fault && fault.code !== "transcript/unfinished" && verdict.verdict !== "cannot be judged") {
    out.push(wrong(fault.line, fault.code, lines, following));
  }
  return out;
}

function brokenChain(line: number, code: string, lines: readonly RawLine[]): Step {
  const next = lines[line]?.event?.prev;
  const differs = code === "transcript/broken-chain" && typeof next === "string";
  return {
    lines: [line],
    by: null,
    title: words.chainBroken,
    words: faults[code],
    workings: [],
    shown: differs ? [line, line + 1] : [line],
    good: false,
    difference: differs
      ? [{ recorded: [words.names(line + 1), outside(next)], computed: [words.hashesTo(line), lines[line - 1].hash] }]
      : undefined,
  };
}

function wrong(line: number | null, code: string, lines: readonly RawLine[], following: Following | null): Step {
  const recorded = line === null ? null : lines[line - 1]?.event;
  const written = line === null ? undefined : following?.written[line - 1];
  const must: JsonObject | null = written && code === "table/mismatch" ? object(JSON.parse(written)) : null;
  return {
    lines: line === null ? [] : [line],
    by: null,
    title: faults[code] ?? otherFault,
    workings: line === null ? [] : following?.workings.get(line) ?? [],
    shown: line === null || !lines[line - 1] ? [] : [line],
    good: false,
    difference: recorded && must ? differences(recorded, must) : undefined,
  };
}

/** The members in which two events differ. A list of draws is compared draw by draw. */
function differences(recorded: JsonObject, must: JsonObject): Difference[] {
  const out: Difference[] = [];
  const add = (was: string, is: string) =>
    out.push({ recorded: [words.recordSays, was], computed: [words.mustBe, is] });
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(must)])) {
    const [was, is] = [recorded[key], must[key]];
    if (key === "prev" || text(was) === text(is)) continue;
    if (key === "draws" && Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
      for (const [i, draw] of was.entries()) {
        if (text(draw) !== text(is[i])) add(drawn(draw, i), drawn(is[i], i));
      }
    } else add(`${key}: ${text(was)}`, `${key}: ${text(is)}`);
  }
  return out;
}

function drawn(draw: Json, index: number): string {
  return Array.isArray(draw) ? words.draw(index + 1, text(draw[1]), text(draw[0])) : text(draw);
}

/** A text, as it is; anything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : write(value);
}

/** A value as JSON, to be shown. */
function text(value: Json | undefined): string {
  return value === undefined ? "–" : outside(write(value));
}

/** Walks through the lines that hold. */
class Telling {
  private readonly names: string[];
  private readonly game: string;
  private readonly dealer: string;
  private readonly out: Step[] = [];
  /** The seats that lent something, by run. */
  private readonly lent = new Map<Json | undefined, Set<number>>();
  private seals: number[] = [];
  private opens: number[] = [];

  constructor(private readonly lines: readonly RawLine[], private readonly following: Following) {
    const start = lines[0].event ?? object({});
    this.names = following.seats.map((seat) => name(seat.name));
    this.game = textOf(start.game);
    this.dealer = textOf(start.dealer);
    for (const { event } of lines.slice(0, following.checked)) {
      if (event?.kind !== "share" || textOf(event.share).endsWith("tip")) continue;
      const seats = this.lent.get(event.run) ?? new Set();
      this.lent.set(event.run, seats.add(event.seat as number));
    }
  }

  steps(): Step[] {
    for (let line = 1; line <= this.following.checked; line++) {
      const event = this.lines[line - 1]?.event;
      if (event) this.tell(event, line);
    }
    for (const line of this.seals) this.sealedAlone(line);
    return this.out;
  }

  private tell(event: JsonObject, line: number): void {
    if (event.kind === "seal") this.seals.push(line);
    else if (event.kind === "open") this.opened(line);
    else {
      const found = this.happened(event, line) ?? this.plain(event);
      if (found) this.push([line], this.side(event), found);
    }
  }

  private push(lines: number[], by: Step["by"], { title, words, picture }: Happening, shown = lines): void {
    const workings = lines.flatMap((line) => this.following.workings.get(line) ?? []);
    this.out.push({ lines, by, title, words, picture, workings, shown, good: true });
  }

  private side(event: JsonObject): Step["by"] {
    if (typeof event.seat === "number") return this.following.seats[event.seat]?.by === "house" ? "house" : "self";
    return ["start", "ticket", "dealt", "opening", "void"].includes(event.kind as string) ? "house" : null;
  }

  private who(event: JsonObject): string {
    return this.names[event.seat as number] ?? "?";
  }

  private happened(event: JsonObject, line: number): Happening | null {
    const { views } = this.following;
    const by = words.dealtBy[this.dealer]?.(this.lenders(event.run)) ?? "";
    return happening(this.game, {
      event,
      before: views[line - 2] ?? null,
      behind: views[line - 1],
      names: this.names,
      by,
    });
  }

  /** Who lent something to a run. */
  private lenders(run: Json | undefined): string[] {
    return [...this.lent.get(run) ?? []].map((seat) => this.names[seat] ?? "?");
  }

  private opened(line: number): void {
    this.opens.push(line);
    if (this.opens.length < this.seals.length) return;
    const told = this.opens.map((at) => {
      const event = this.lines[at - 1].event as JsonObject;
      return this.happened(event, at) ?? { title: `${this.who(event)}: ${text(event.move)}` };
    });
    const picture = told.flatMap(({ title, picture }) => [`${title} `, picture]);
    const lines = [...this.seals, ...this.opens];
    this.push(lines, null, { title: words.sealed(this.seals.length), picture });
    [this.seals, this.opens] = [[], []];
  }

  private sealedAlone(line: number): void {
    const event = this.lines[line - 1].event as JsonObject;
    this.push([line], this.side(event), { title: words.sealing(this.who(event)), words: words.sealingWords });
  }

  /** What every game has in common. `null`: nothing worth a step. */
  private plain(event: JsonObject): Happening | null {
    const who = this.who(event);
    switch (event.kind) {
      case "start": {
        const [title, told] = words.start[this.dealer] ?? [words.opened, words.openedWords];
        return { title, words: told };
      }
      case "ticket":
        return this.ticket(event);
      case "share":
        return this.share(event, who);
      case "dealt":
        return this.dealt(event);
      case "move":
        return { title: words.move(who), words: words.moveWords(text(event.move)) };
      case "note":
        return this.note(event);
      case "forfeit":
        return { title: words.left(who), words: words.leftWords(textOf(event.by), outside(textOf(event.reason))) };
      case "opening":
        return event.run === 0
          ? { title: words.openingSeed, words: words.openingSeedWords }
          : { title: words.opening, words: words.openingWords };
      case "void":
        return { title: words.void };
      case "end":
        return this.end(event);
      default:
        return null;
    }
  }

  /** Two notes count: the signature of an order, and the disguise of a contest. */
  private note({ body }: JsonObject): Happening {
    const has = (name: string) => isObject(body) && name in body;
    if (this.dealer === "croupier/1" && has("order_signature")) {
      return { title: words.signed, words: words.signedWords };
    }
    if (this.dealer === "contest/1" && has("digits")) return { title: words.disguise, words: words.disguiseWords };
    return { title: words.note, words: words.noteWords };
  }

  private ticket(event: JsonObject): Happening | null {
    const ticket = isObject(event.ticket) ? event.ticket : object({});
    const run = event.run as number;
    if ("hmac" in ticket) return { title: words.ticketHmac(run), words: words.ticketHmacWords };
    if ("blind" in ticket) return { title: words.ticketBlind(run), words: words.ticketBlindWords };
    if ("seed" in ticket) return { title: words.ticketSeed, words: words.ticketSeedWords };
    return "tip" in ticket ? { title: words.ticketTip, words: words.ticketTipWords } : null;
  }

  private share(event: JsonObject, who: string): Happening {
    switch (event.share) {
      case "tip":
        return { title: words.tip(who), words: words.tipWords };
      case "next-tip":
        return { title: words.nextTip(who), words: words.tipWords };
      case "link":
        return { title: words.link(who, event.run as number), words: words.linkWords };
      case "number":
        return { title: words.number(who, text(event.value)), words: words.numberWords };
      case "seed":
        return { title: words.seed(who), words: words.seedWords };
      default:
        return { title: words.stir(who), words: words.stirWords(outside(textOf(event.value))) };
    }
  }

  private dealt(event: JsonObject): Happening {
    const by = words.dealtBy[this.dealer]?.(this.lenders(event.run)) ?? "";
    const draws = (event.draws as Json[]).map((draw) => (draw as Json[]).map(text) as [string, string]);
    if (draws.some(([, value]) => value === "null")) return { title: words.hidden(by), words: words.hiddenWords };
    return { title: words.drawn(by), words: words.draws(draws) };
  }

  private end(event: JsonObject): Happening {
    const { payoff } = event;
    if (!Array.isArray(payoff)) return { title: words.end };
    const result = payoff.map((paid, seat) => `${this.names[seat]} ${points(paid as number)}`).join(", ");
    return { title: words.end, words: words.endWords(result) };
  }
}
