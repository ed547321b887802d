/**
 * Chance and seals of a game whose rules are not known here.
 * The ranges of the draws are taken from the record. Whether they are those of the rules, nobody here can say.
 */
import { fromHex } from "./bytes.ts";
import type { Line } from "./chain.ts";
import { Fault } from "./fault.ts";
import { isHex, isObject, type Json, type JsonObject, readInt } from "./json.ts";
import { SCHEMES } from "./schemes/index.ts";
import type { Run, Scheme, Seat } from "./schemes/scheme.ts";
import { type Place, seal } from "./seals.ts";
import { SLICE, type Slices } from "./slices.ts";

function bad(line: number, reason: string): Fault {
  return new Fault("fair/bad-evidence", reason, line);
}

/** Checks that tickets, shares, evidence, draws and seals fit each other, as the lines come. Throws a fault if not. */
export class ChanceCheck {
  private readonly lines: Line[];
  private readonly table: Uint8Array;
  private readonly scheme: Scheme;
  private readonly openings = new Map<Json, Json>();
  private readonly runs = new Map<Json, Run>();
  private readonly gone = new Set<Json>();
  private readonly seals = new Map<Json, { place: Place; commitment: Json }>();
  private place: Place;
  /** How many lines are done. */
  private done = 1;

  constructor(first: Line) {
    const start = first.event;
    const known = typeof start.dealer === "string" && Object.hasOwn(SCHEMES, start.dealer);
    const formed = isHex(start.table) && isObject(start.public) && Array.isArray(start.seats);
    if (!known || !formed) throw bad(1, "the scheme is not known here");
    this.lines = [first];
    this.table = fromHex(start.table as string);
    const seats = (start.seats as Json[]).map((seat) => seat as unknown as Seat);
    this.scheme = new SCHEMES[start.dealer as string]({ table: this.table, seats, open: start.public as JsonObject });
    this.place = { step: 1, head: first.hash };
  }

  /** Goes on with further lines. False: a hidden draw waits for its opening, and so does all behind it. */
  *take(lines: readonly Line[]): Slices<boolean> {
    for (const line of lines) {
      this.lines.push(line);
      if (line.event.kind === "opening") this.openings.set(line.event.run, line.event.evidence);
    }
    for (; this.done < this.lines.length; this.done++) {
      if (this.waitsAt(this.lines[this.done].event)) return false;
      this.judge(this.lines[this.done].event, this.done + 1);
      if (this.done % SLICE === 0) yield this.done;
    }
    return true;
  }

  private waitsAt(event: JsonObject): boolean {
    const run = event.kind === "dealt" ? this.runs.get(event.run) : undefined;
    const needs = run && run.dealtLine === null ? this.scheme.needs(run) : null;
    return needs !== null && !this.openings.has(needs);
  }

  /** The fault of a record that is over, and in which a draw was never opened. */
  unopened(): Fault {
    return new Fault("fair/unopened", "never opened", this.done + 1);
  }

  private judge(event: JsonObject, line: number): void {
    const { scheme, runs } = this;
    if (event.kind === "ticket") {
      const n = readInt(event.n);
      if (n === null || n < 1n || !isObject(event.ticket) || event.run !== runs.size + 1) throw bad(line, "a ticket");
      const run: Run = {
        number: event.run,
        n,
        hidden: event.hidden === true,
        place: { step: line - 1, head: this.lines[line - 2].hash },
        ticket: event.ticket,
        ticketLine: line,
        shares: [],
        dealtLine: null,
        draws: [],
      };
      scheme.ticket(run);
      runs.set(run.number, run);
    } else if (event.kind === "share") {
      const run = runs.get(event.run);
      const asks = run && run.dealtLine === null ? scheme.asks(run, (seat) => !this.gone.has(seat)) : [];
      const ask = asks.find((ask) => ask.seat === event.seat && ask.share === event.share);
      if (!run || !ask) throw new Fault("table/unexpected", "nobody asked for this share", line);
      scheme.share(run, ask.seat, ask.share, event.value);
      run.shares.push({ seat: ask.seat, kind: ask.share, value: event.value, line });
    } else if (event.kind === "dealt") {
      const run = runs.get(event.run);
      if (!run || run.dealtLine !== null || !Array.isArray(event.draws)) throw bad(line, "dealt without a ticket");
      const needs = scheme.needs(run);
      const chance = scheme.deal(run, event.evidence, needs === null ? null : this.openings.get(needs) as Json);
      run.dealtLine = line;
      for (const draw of event.draws) {
        const [n, value] = Array.isArray(draw) ? [readInt(draw[0]), draw[1]] : [null, null];
        if (n === null || n < 1n) throw bad(line, "a draw without a range");
        const drawn = chance.below(n);
        if (!run.hidden && readInt(value) !== drawn) throw bad(line, "another draw than the evidence gives");
      }
    } else if (event.kind === "forfeit") this.gone.add(event.seat);
    else if (event.kind === "seal") this.seals.set(event.seat, { place: this.place, commitment: event.commitment });
    else if (event.kind === "open") {
      const sealed = this.seals.get(event.seat);
      const good = sealed && isHex(event.key) && typeof event.seat === "number" &&
        seal(this.table, event.seat, sealed.place, event.key, event.move) === sealed.commitment;
      if (!good) throw new Fault("move/illegal", "this was not sealed", line);
    }
    const moves = ["start", "ticket", "dealt", "move", "open"].includes(event.kind as string);
    if (moves) this.place = { step: line, head: this.lines[line - 1].hash };
  }
}

/** Checks the chance and the seals of a record that is over. */
export function* checkingChance(lines: readonly Line[]): Slices<void> {
  const check = new ChanceCheck(lines[0]);
  if (!(yield* check.take(lines.slice(1)))) throw check.unopened();
}
