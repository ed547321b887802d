/**
 * The game is played again. The table writes what must follow, and compares it with the record after each answer.
 * The house's words (tickets, evidence, openings) are looked up in the record by the number of their run.
 */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { fromHex, fromText, type Show, toHex, type Working } from "./bytes.ts";
import { write } from "./canonical.ts";
import { type Owed, owed, voided } from "./answers.ts";
import { type Line, ZEROS } from "./chain.ts";
import { Fault } from "./fault.ts";
import type { Game } from "./games/game.ts";
import { GAMES } from "./games/index.ts";
import { codePoints, isHex, isObject, type Json, type JsonObject, object, writeInt } from "./json.ts";
import { SCHEMES } from "./schemes/index.ts";
import type { Run, Scheme, Seat } from "./schemes/scheme.ts";
import { type Place, seal } from "./seals.ts";
import { atOnce, SLICE, type Slices } from "./slices.ts";
import { listed, quoted } from "./words.ts";

/** A decision that a seat took: a move, a seal or an opened seal. */
export interface Decision {
  kind: "move" | "seal" | "open";
  seat: number;
  line: number;
}

export interface Departure {
  seat: number;
  by: string;
  reason: string;
  line: number;
}

/** A turn of several seats at once. */
export interface SealedTurn {
  seals: { seat: number; line: number }[];
  opens: { seat: number; line: number }[];
  whole: boolean;
}

/** All that the claims are told from. */
export interface Story {
  lines: readonly Line[];
  seats: readonly Seat[];
  scheme: Scheme;
  game: Game;
  runs: readonly Run[];
  decisions: readonly Decision[];
  departures: readonly Departure[];
  turns: readonly SealedTurn[];
  payoff: Json;
  /** What happened, in a sentence. */
  result: string;
}

interface Turn {
  place: Place;
  seats: number[];
  seals: Map<number, string>;
  moves: Map<number, Json>;
  told: SealedTurn | null;
}

/** The house's words that the record does not hold. */
class Unfinished extends Error {}

const BY = ["self", "house"];
const LENDS = ["nothing", "number", "stir", "chain", "seed"];

function input(good: boolean, reason: string): asserts good {
  if (!good) throw new Fault("input/bad", reason);
}

function readSeats(value: Json): { given: JsonObject; seat: Seat }[] {
  const malformed = new Fault("transcript/malformed", "the seats are not in their form", 1);
  if (!Array.isArray(value)) throw malformed;
  return value.map((given) => {
    if (!isObject(given) || !("name" in given)) throw malformed;
    if (Object.keys(given).some((name) => !["name", "by", "lends"].includes(name))) throw malformed;
    const text = (name: string, otherwise: string) => (name in given ? given[name] : otherwise) as string;
    return { given, seat: { name: given.name as string, by: text("by", "self"), lends: text("lends", "nothing") } };
  });
}

function checkSeats(seats: readonly Seat[], game: Game): void {
  input(seats.length === game.seats, "not as many seats as the game has");
  for (const { name, by, lends } of seats) {
    const size = typeof name === "string" ? codePoints(name) : 0;
    input(size >= 1 && size <= 80, "a name has 1 to 80 signs");
    input(BY.includes(by), "a seat is run by self or house");
    input(LENDS.includes(lends), "nobody lends this");
    // Only `croupier/1` takes a seed of the house. The other schemes refuse it by themselves.
    input(by === "self" || lends === "nothing" || lends === "seed", "a seat of the house lends nothing");
  }
}

function known<T>(names: { [name: string]: T }, name: Json): T {
  if (typeof name !== "string" || !Object.hasOwn(names, name)) {
    throw new Fault("name/unknown", "this name is not known here", 1);
  }
  return names[name];
}

class Table {
  private readonly lines: Line[] = [];
  readonly written: string[] = [];
  private compared = 0;
  private head = ZEROS;
  private readonly start: JsonObject;
  private readonly name: Uint8Array;
  readonly seats: Seat[];
  readonly game: Game;
  readonly scheme: Scheme;
  private readonly tickets = new Map<number, JsonObject>();
  private readonly dealt = new Map<number, JsonObject>();
  private readonly openings = new Map<number, JsonObject>();
  private void: { event: JsonObject; line: number } | null = null;
  /** Hidden draws that were played on from without their values, because nobody has opened them yet. */
  private readonly blind = new Set<number>();
  /** Was a line taken while words of the house were missing? Words that come after it came too late. */
  private passed = false;
  /** How many of the openings that are due in the end are written. */
  private opened = 0;

  readonly runs: Run[] = [];
  readonly decisions: Decision[] = [];
  readonly departures: Departure[] = [];
  readonly turns: SealedTurn[] = [];
  private run: Run | null = null;
  private turn: Turn | null = null;
  private readonly gone = new Set<number>();
  /** Seats that left while the run was open, in the order of leaving. */
  private leaving: number[] = [];
  private ended: number[] | null = null;
  private stuck = false;
  closed = false;
  voided = false;
  payoff: Json = null;
  /** What lies on the table behind each line, if somebody follows. */
  readonly views: unknown[] = [];
  /** What was computed for each line, if somebody follows. */
  readonly workings = new Map<number, Working[]>();
  private readonly show?: Show;

  constructor(first: Line, private readonly followed = false) {
    const start = this.start = first.event;
    const malformed = (good: boolean, reason: string) => {
      if (!good) throw new Fault("transcript/malformed", reason, 1);
    };
    malformed(isHex(start.table), "the name of the table is not 64 hex digits");
    malformed(isObject(start.params) && isObject(start.public), "parameters and public part are objects");
    const seats = readSeats(start.seats);
    this.name = fromHex(start.table as string);
    this.game = known(GAMES, start.game)(start.params as JsonObject);
    const Make = known(SCHEMES, start.dealer);
    this.seats = seats.map(({ seat }) => seat);
    checkSeats(this.seats, this.game);
    if (followed) this.show = (working) => this.workingsOf(this.line).push(working);
    this.scheme = new Make({ table: this.name, seats: this.seats, open: start.public as JsonObject, show: this.show });
  }

  /**
   * Takes a further line of the record. Returns false if it changes what an earlier line was played by: the house's
   * words are looked up ahead, so the game must then be played again from its first line.
   */
  add(line: Line): boolean {
    const { event } = line, run = event.run as number;
    const words = event.kind === "ticket"
      ? this.tickets
      : event.kind === "dealt"
      ? this.dealt
      : event.kind === "opening"
      ? this.openings
      : null;
    const another = words !== null && words.has(run);
    const again = event.kind === "opening" && another || event.kind === "void" && this.void;
    const late = words && (this.voided || this.passed && words !== this.openings);
    const blind = event.kind === "opening" && this.blind.has(run);
    const unopened = (event.kind === "void" || event.kind === "end") && this.blind.size;
    this.lines.push(line);
    if (!another || event.kind === "opening") words?.set(run, event);
    if (event.kind === "void") this.void = { event, line: this.lines.length };
    return !(again || late || blind || unopened);
  }

  /** Does the record end here? */
  private get ends(): boolean {
    return this.lines.at(-1)?.event.kind === "end";
  }

  private begin(): void {
    this.write({
      kind: "start",
      format: "fairground/1",
      table: this.start.table,
      game: this.start.game,
      params: this.game.params,
      dealer: this.start.dealer,
      public: this.start.public,
      seats: this.seats.map((seat) => object({ ...seat })),
    });
    this.see();
    this.advance();
  }

  /** Plays on to the last line, or throws a fault. Called again, it goes on with the lines that were added since. */
  *play(): Slices<void> {
    if (!this.written.length) this.begin();
    else if (this.stuck) this.advance();
    this.compare();
    let pause = this.written.length + SLICE;
    for (;;) {
      const next = this.lines[this.written.length]?.event;
      if (!next) break;
      if (this.stuck && next.kind !== "note" && next.kind !== "forfeit") break;
      this.passed ||= this.stuck;
      this.answer(next);
      this.see();
      this.advance();
      this.compare();
      if (this.written.length >= pause) {
        pause = this.written.length + SLICE;
        yield this.written.length;
      }
    }
    const last = this.lines.length;
    if (!this.closed) throw new Fault("transcript/unfinished", "the game is not closed", last);
    if (this.voided) throw new Fault("table/void", "the house voided the game", last - 1);
  }

  /** The line that is written next. */
  get line(): number {
    return this.written.length + 1;
  }

  private write(event: { [key: string]: Json }): void {
    const text = write(object({ ...event, prev: this.head })) + "\n";
    this.written.push(text);
    this.head = toHex(sha3_256(fromText(text)));
  }

  /** Compares what was written with the record. */
  compare(): void {
    for (; this.compared < this.written.length; this.compared++) {
      const recorded = this.lines[this.compared];
      if (!recorded) throw new Fault("transcript/unfinished", "the record stops early", this.lines.length);
      if (recorded.text !== this.written[this.compared]) {
        throw new Fault("table/mismatch", "not what rules and evidence give", this.compared + 1);
      }
    }
  }

  private workingsOf(line: number): Working[] {
    const found = this.workings.get(line) ?? [];
    this.workings.set(line, found);
    return found;
  }

  private see(): void {
    if (!this.followed) return;
    while (this.views.length < this.written.length) this.views.push(this.game.view());
    this.views[this.written.length - 1] = this.game.view();
  }

  /** What is asked for now: the kind, and the seat. */
  asks(): { kind: string; seat: number }[] {
    if (this.closed || this.ended || this.stuck) return [];
    if (this.run) return this.scheme.asks(this.run, this.isHere).map(({ share, seat }) => ({ kind: share, seat }));
    const { turn } = this;
    if (!turn) return [];
    if (turn.seats.length === 1) return [{ kind: "move", seat: turn.seats[0] }];
    const sealed = turn.seats.every((seat) => turn.seals.has(seat));
    const owing = turn.seats.filter((seat) => !(sealed ? turn.moves : turn.seals).has(seat));
    return owing.map((seat) => ({ kind: sealed ? "open" : "seal", seat }));
  }

  /** Who stopped the game of a record that is not finished. */
  get owed(): Owed {
    if (this.void) return voided(this.void.line, this.void.event.reason as string);
    const { seats, runs, ended } = this;
    const played = this.written.length;
    return owed({ seats, runs, played, asks: this.asks(), ended: ended !== null }, this.lines.length);
  }

  /** What happened: the seats that left, by whose word, and how the game ended. */
  get result(): string {
    const names = this.seats.map(({ name }) => quoted(name));
    const left = (by: string, says: string) => {
      const gone = this.departures.filter((one) => one.by === by).map(({ seat }) => names[seat]);
      return gone.length ? [`${says} that ${listed(gone)} left.`] : [];
    };
    return [...left("seat", "The record says"), ...left("house", "The house says"), this.ending(names)].join(" ");
  }

  private ending(names: readonly string[]): string {
    const payoff = this.payoff as number[];
    const told = this.game.ending(names, payoff);
    if (told !== null) return told;
    const best = Math.max(...payoff);
    const top = names.filter((_, seat) => payoff[seat] === best);
    if (top.length === names.length) return "Nobody wins.";
    return top.length === 1 ? `${top[0]} wins.` : `${listed(top)} win.`;
  }

  /** How many lines are what they must be. */
  get checked(): number {
    return this.compared;
  }

  private isHere = (seat: number): boolean => !this.gone.has(seat);

  // What follows without an answer.

  private advance(): void {
    this.stuck = false;
    try {
      while (!this.closed && this.step()) this.see();
      this.see();
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      this.stuck = true;
    }
  }

  /** One thing that follows by itself. False: an answer is awaited. */
  private step(): boolean {
    if (this.ended) return this.close(this.ended);
    if (this.run) {
      if (this.scheme.asks(this.run, this.isHere).length) return false;
      return this.deal(this.run);
    }
    const awaits = this.game.awaits();
    if (awaits.kind === "over") {
      this.ended = awaits.payoff;
      return true;
    }
    if (awaits.kind === "draw") return this.openRun(awaits.n, awaits.hidden);
    this.ask(awaits.seats);
    return false;
  }

  private ask(seats: number[]): void {
    const goesOn = this.turn && this.turn.seats.length > 1 && seats.length > 1;
    if (this.turn && goesOn) {
      this.turn.seats = seats;
      return;
    }
    if (this.turn && seats.length === 1 && this.turn.seats.join() === seats.join()) return;
    this.turn = {
      place: { step: this.written.length, head: this.head },
      seats,
      seals: new Map(),
      moves: new Map(),
      told: null,
    };
  }

  /** The house cannot go on: it voids the game, if the record says so. */
  private orVoid(otherwise: string): boolean {
    if (this.void) {
      const { code, reason } = this.void.event;
      this.write({ kind: "void", code, reason });
      this.write({ kind: "end", payoff: null });
      this.closed = this.voided = true;
      return true;
    }
    if (!this.ends) throw new Unfinished();
    throw new Fault(otherwise, "the house's words are missing", this.line);
  }

  private openRun(n: bigint, hidden: boolean): boolean {
    const number = this.runs.length + 1;
    const found = this.tickets.get(number);
    if (!found) {
      let next = this.written.length;
      while (this.lines[next]?.event.kind === "note") next++;
      if (this.lines[next]?.event.kind === "forfeit") return false;
      return this.orVoid("table/unexpected");
    }
    const { ticket } = found;
    if (!isObject(ticket)) throw new Fault("fair/bad-evidence", "a ticket is an object", this.line);
    const place = { step: this.written.length, head: this.head };
    const run: Run = {
      number,
      n,
      hidden,
      place,
      ticket,
      ticketLine: this.line,
      shares: [],
      dealtLine: null,
      draws: [],
    };
    this.scheme.ticket(run);
    this.write({ kind: "ticket", run: number, n: writeInt(n), hidden, ticket });
    this.runs.push(run);
    this.run = run;
    this.turn = null;
    return true;
  }

  private deal(run: Run): boolean {
    const found = this.dealt.get(run.number);
    if (!found) return this.orVoid("table/unexpected");
    const needs = this.scheme.needs(run);
    const opening = needs === null ? undefined : this.openings.get(needs);
    if (needs !== null && !opening) {
      if (this.void) throw new Fault("table/void", "the house voided the game", this.void.line);
      if (!this.ends && this.followed && this.game.playBlind) return this.dealBlind(run, found.evidence);
      if (!this.ends) throw new Unfinished();
      throw new Fault("fair/unopened", "what was hidden was never opened", this.line);
    }
    const chance = this.scheme.deal(run, found.evidence, opening?.evidence ?? null);
    for (;;) {
      const awaits = this.game.awaits();
      if (awaits.kind !== "draw" || awaits.hidden !== run.hidden) break;
      if (this.scheme.single && run.draws.length) break;
      const value = chance.below(awaits.n);
      run.draws.push([awaits.n, value]);
      this.game.draw(value);
    }
    run.dealtLine = this.line;
    const draws = run.draws.map(([n, value]) => [writeInt(n), run.hidden ? null : writeInt(value)]);
    this.write({ kind: "dealt", run: run.number, draws, evidence: found.evidence });
    this.run = null;
    for (const seat of this.leaving) {
      this.takeOut(seat);
      if (this.ended) break;
    }
    this.leaving = [];
    return true;
  }

  /** Goes on behind a draw that is not opened yet. Who follows a game sees it so; a verdict is never given so. */
  private dealBlind(run: Run, evidence: Json): boolean {
    const awaits = this.game.awaits();
    if (awaits.kind === "draw") {
      this.write({ kind: "dealt", run: run.number, draws: [[writeInt(awaits.n), null]], evidence });
    }
    run.dealtLine = this.line - 1;
    this.blind.add(this.scheme.needs(run) as number);
    this.game.playBlind?.();
    this.run = null;
    return true;
  }

  private takeOut(seat: number): void {
    const payoff = this.game.endsWithout(seat);
    if (payoff) this.ended = payoff;
    else this.game.leave(seat);
  }

  private close(payoff: number[]): boolean {
    for (const due of this.scheme.due(this.runs).slice(this.opened)) {
      const found = this.openings.get(due.number);
      if (!found) return this.orVoid("fair/unopened");
      const { run } = due;
      if (run && run.dealtLine === null) this.scheme.undealt(run, found.evidence);
      const draws = run ? run.draws.map(([n, value]) => [writeInt(n), writeInt(value)]) : [];
      this.write({ kind: "opening", run: due.number, draws, evidence: found.evidence });
      this.opened++;
    }
    this.payoff = payoff;
    this.write({ kind: "end", payoff });
    this.closed = true;
    return true;
  }

  // Answers.

  private answer(event: JsonObject): void {
    const line = this.line;
    if (event.kind === "note") return this.note(event);
    if (event.kind === "forfeit") return this.forfeit(event, line);
    const answers = ["move", "seal", "open", "share"];
    if (!answers.includes(event.kind as string)) throw this.unexpected();
    // A seat that is `true` counts as 1, and the line that is written for it differs.
    const seat = typeof event.seat === "boolean" ? Number(event.seat) : event.seat as number;
    if (this.closed || typeof seat !== "number" || this.stuck) throw this.unexpected();
    if (event.kind === "share") return this.share(event, seat, line);
    const turn = this.run ? null : this.turn;
    if (!turn || this.ended || !turn.seats.includes(seat)) throw this.unexpected();
    if (event.kind === "move") this.move(turn, event, seat, line);
    else if (event.kind === "seal") this.seal(turn, event, seat, line);
    else this.open(turn, event, seat, line);
  }

  private unexpected(): Fault {
    return new Fault("table/unexpected", "nothing called for this", this.line);
  }

  private note(event: JsonObject): void {
    if (!isObject(event.body)) throw new Fault("transcript/malformed", "a note is an object", this.line);
    if (this.closed || this.ended) throw new Fault("ask/stale", "the game is over", this.line);
    this.write({ kind: "note", body: event.body });
  }

  private forfeit(event: JsonObject, line: number): void {
    if (this.closed || this.ended) throw new Fault("ask/stale", "the game is over", line);
    const { seat, by, reason } = event;
    input(typeof seat === "number" && seat >= 0 && seat < this.seats.length, "there is no such seat");
    input(this.isHere(seat), "this seat has left already");
    input(by === "seat" || by === "house", "a forfeit is by the seat or by the house");
    input(typeof reason === "string" && codePoints(reason) <= 200, "a reason has at most 200 signs");
    this.write({ kind: "forfeit", seat, by, reason });
    this.gone.add(seat);
    this.departures.push({ seat, by, reason, line });
    const payoff = this.game.endsWithout(seat);
    if (payoff) {
      this.ended = payoff;
      this.run = null;
    } else if (this.run) this.leaving.push(seat);
    else {
      this.game.leave(seat);
      if (this.turn && this.turn.seats.length === 1 && this.turn.seats[0] === seat) this.turn = null;
    }
  }

  private share(event: JsonObject, seat: number, line: number): void {
    const run = this.run;
    const asks = run ? this.scheme.asks(run, this.isHere) : [];
    if (!run || !asks.some((ask) => ask.seat === seat && ask.share === event.share)) throw this.unexpected();
    const kind = event.share as string;
    this.scheme.share(run, seat, kind, event.value);
    this.write({ kind: "share", run: run.number, seat, share: kind, value: event.value });
    run.shares.push({ seat, kind, value: event.value, line });
  }

  private move(turn: Turn, event: JsonObject, seat: number, line: number): void {
    if (turn.seats.length > 1) throw this.unexpected();
    this.mustBeLegal(seat, event.move);
    this.write({ kind: "move", seat, move: event.move });
    this.decisions.push({ kind: "move", seat, line });
    this.turn = null;
    this.game.play(new Map([[seat, event.move]]));
  }

  private mustBeLegal(seat: number, move: Json): void {
    if (!this.game.isLegal(seat, move)) throw new Fault("move/illegal", "the rules refuse this move", this.line);
  }

  private seal(turn: Turn, event: JsonObject, seat: number, line: number): void {
    if (turn.seats.length < 2 || turn.seals.has(seat)) throw this.unexpected();
    if (!isHex(event.commitment)) throw new Fault("share/bad", "a seal is 64 hex digits", line);
    this.write({ kind: "seal", seat, commitment: event.commitment });
    turn.seals.set(seat, event.commitment);
    this.decisions.push({ kind: "seal", seat, line });
    if (!turn.told) this.turns.push(turn.told = { seals: [], opens: [], whole: false });
    turn.told.seals.push({ seat, line });
  }

  private open(turn: Turn, event: JsonObject, seat: number, line: number): void {
    const all = turn.seats.every((other) => turn.seals.has(other));
    if (turn.seats.length < 2 || !all || turn.moves.has(seat)) throw this.unexpected();
    this.mustBeLegal(seat, event.move);
    const good = isHex(event.key) &&
      seal(this.name, seat, turn.place, event.key, event.move, this.show) === turn.seals.get(seat);
    if (!good) throw new Fault("move/illegal", "this was not sealed", line);
    this.write({ kind: "open", seat, key: event.key, move: event.move });
    turn.moves.set(seat, event.move);
    turn.told?.opens.push({ seat, line });
    this.decisions.push({ kind: "open", seat, line });
    if (!turn.seats.every((other) => turn.moves.has(other))) return;
    if (turn.told) turn.told.whole = true;
    this.turn = null;
    this.game.play(turn.moves);
  }
}

/** A record as far as it has come. */
export interface Following {
  seats: readonly Seat[];
  /** What lies on the table behind each line. */
  views: readonly unknown[];
  /** What was computed for each line. */
  workings: ReadonlyMap<number, readonly Working[]>;
  /** The lines as rules and evidence give them. */
  written: readonly string[];
  /** How many lines are what rules and evidence give. */
  checked: number;
  asks: { kind: string; seat: number }[];
  /** What is wrong, and where. A game that only is not over has none. */
  fault: Fault | null;
}

/** Follows a game while it is played. Each line is judged once, however long the record is by then. */
export class Follower {
  private readonly lines: Line[] = [];
  private table: Table | null = null;
  private fault: Fault | null = null;

  /** Takes the lines that came since, and judges them. Behind a fault nothing is judged any more. */
  *take(lines: readonly Line[]): Slices<Following> {
    if (!this.fault) {
      for (const line of lines) this.lines.push(line);
      yield* this.judge(lines);
    }
    const { table, fault } = this;
    if (!table) return { seats: [], views: [], workings: new Map(), written: [], checked: 0, asks: [], fault };
    const { seats, views, workings, written, checked } = table;
    return { seats, views, workings, written, checked, asks: fault ? [] : table.asks(), fault };
  }

  private *judge(added: readonly Line[]): Slices<void> {
    try {
      if (!this.table || !added.map((line) => this.table?.add(line)).every(Boolean)) {
        this.table = new Table(this.lines[0], true);
        for (const line of this.lines) this.table.add(line);
      }
      yield* this.table.play();
    } catch (error) {
      this.fault = this.faultOf(error);
    }
    try {
      this.table?.compare(); // what was written before a fault may be wrong itself: the first line counts
    } catch (error) {
      this.fault = this.faultOf(error) ?? this.fault;
    }
  }

  /** A fault with its line. `null`: the game only is not over. */
  private faultOf(error: unknown): Fault | null {
    if (!(error instanceof Fault)) throw error;
    if (error.code === "transcript/unfinished") return null;
    return error.line === undefined ? new Fault(error.code, error.reason, this.table ? this.table.line : 1) : error;
  }
}

/** Follows a record that is whole, or as far as it has come. */
export const following = (lines: readonly Line[]): Slices<Following> => new Follower().take(lines);

/** Plays a record again. Faults without a line get the line that could not be written. */
export const replay = (lines: readonly Line[]): Story => atOnce(replaying(lines));

export function* replaying(lines: readonly Line[]): Slices<Story> {
  let table: Table | null = null;
  try {
    table = new Table(lines[0]);
    for (const line of lines) table.add(line);
    yield* table.play();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === "transcript/unfinished" || error.code === "table/void") error.owed = table?.owed;
    if (error.line !== undefined) throw error;
    throw new Fault(error.code, error.reason, table ? table.line : 1);
  }
  const { seats, scheme, game, runs, decisions, departures, turns, payoff, result } = table;
  return { lines, seats, scheme, game, runs, decisions, departures, turns, payoff, result };
}
