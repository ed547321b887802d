/**
 * Chance and seals of a game whose rules are not known here.
 * The ranges of the draws are taken from the record. Whether they are those of the rules, nobody here can say.
 */
import { fromHex } from "./bytes.ts";
import type { Line } from "./chain.ts";
import { Fault } from "./fault.ts";
import { isHex, isObject, type Json, type JsonObject, readInt } from "./json.ts";
import { SCHEMES } from "./schemes/index.ts";
import type { Run, Seat } from "./schemes/scheme.ts";
import { type Place, seal } from "./seals.ts";
import { SLICE, type Slices } from "./slices.ts";

function bad(line: number, reason: string): Fault {
  return new Fault("fair/bad-evidence", reason, line);
}

/** Throws a fault if tickets, shares, evidence, draws or seals do not fit each other. */
export function* checkingChance(lines: readonly Line[]): Slices<void> {
  const start = lines[0].event;
  const known = typeof start.dealer === "string" && Object.hasOwn(SCHEMES, start.dealer);
  const formed = isHex(start.table) && isObject(start.public) && Array.isArray(start.seats);
  if (!known || !formed) throw bad(1, "the scheme is not known here");
  const table = fromHex(start.table as string);
  const seats = (start.seats as Json[]).map((seat) => seat as unknown as Seat);
  const scheme = new SCHEMES[start.dealer as string]({ table, seats, open: start.public as JsonObject });
  const openings = new Map<Json, Json>();
  for (const { event } of lines) if (event.kind === "opening") openings.set(event.run, event.evidence);

  const runs = new Map<Json, Run>();
  const gone = new Set<Json>();
  const seals = new Map<Json, { place: Place; commitment: Json }>();
  let place: Place = { step: 1, head: lines[0].hash };
  for (const [index, { event, hash }] of lines.entries()) {
    const line = index + 1;
    if (event.kind === "ticket") {
      const n = readInt(event.n);
      if (n === null || n < 1n || !isObject(event.ticket) || event.run !== runs.size + 1) throw bad(line, "a ticket");
      const run: Run = {
        number: event.run,
        n,
        hidden: event.hidden === true,
        place: { step: index, head: lines[index - 1].hash },
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
      const asks = run && run.dealtLine === null ? scheme.asks(run, (seat) => !gone.has(seat)) : [];
      const ask = asks.find((ask) => ask.seat === event.seat && ask.share === event.share);
      if (!run || !ask) throw new Fault("table/unexpected", "nobody asked for this share", line);
      scheme.share(run, ask.seat, ask.share, event.value);
      run.shares.push({ seat: ask.seat, kind: ask.share, value: event.value, line });
    } else if (event.kind === "dealt") {
      const run = runs.get(event.run);
      if (!run || run.dealtLine !== null || !Array.isArray(event.draws)) throw bad(line, "dealt without a ticket");
      const needs = scheme.needs(run);
      if (needs !== null && !openings.has(needs)) throw new Fault("fair/unopened", "never opened", line);
      const chance = scheme.deal(run, event.evidence, needs === null ? null : openings.get(needs) as Json);
      run.dealtLine = line;
      for (const draw of event.draws) {
        const [n, value] = Array.isArray(draw) ? [readInt(draw[0]), draw[1]] : [null, null];
        if (n === null || n < 1n) throw bad(line, "a draw without a range");
        const drawn = chance.below(n);
        if (!run.hidden && readInt(value) !== drawn) throw bad(line, "another draw than the evidence gives");
      }
    } else if (event.kind === "forfeit") gone.add(event.seat);
    else if (event.kind === "seal") seals.set(event.seat, { place, commitment: event.commitment });
    else if (event.kind === "open") {
      const sealed = seals.get(event.seat);
      const good = sealed && isHex(event.key) && typeof event.seat === "number" &&
        seal(table, event.seat, sealed.place, event.key, event.move) === sealed.commitment;
      if (!good) throw new Fault("move/illegal", "this was not sealed", line);
    }
    if (index % SLICE === 0) yield index;
    if (["start", "ticket", "dealt", "move", "open"].includes(event.kind as string)) place = { step: line, head: hash };
  }
}
