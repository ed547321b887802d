/** What every scheme has in common. */
import type { Chance, Show } from "../bytes.ts";
import { Fault } from "../fault.ts";
import { hasJust, isObject, type Json, type JsonObject } from "../json.ts";
import type { Place } from "../seals.ts";
import type { Story } from "../table.ts";

export interface Seat {
  name: string;
  by: string;
  lends: string;
}

export interface Setting {
  table: Uint8Array;
  seats: readonly Seat[];
  open: JsonObject;
  /** Is told what is computed, if somebody wants to see it. */
  show?: Show;
}

export interface Share {
  seat: number;
  kind: string;
  value: Json;
  line: number;
}

/** A row of draws with no decision between them. */
export interface Run {
  number: number;
  n: bigint;
  hidden: boolean;
  /** The line before the ticket. */
  place: Place;
  ticket: JsonObject;
  ticketLine: number;
  shares: Share[];
  dealtLine: number | null;
  draws: [bigint, bigint][];
}

export interface Ask {
  seat: number;
  share: string;
}

/** An opening that is due: the number that it bears, and the run that it is about, if it is about one. */
export interface Due {
  number: number;
  run: Run | null;
}

export interface Scheme {
  /** Is each draw a run of its own? */
  readonly single: boolean;
  /** Checks the ticket. */
  ticket(run: Run): void;
  /** The shares that are asked for now. None: the run can be dealt. */
  asks(run: Run, here: (seat: number) => boolean): Ask[];
  /** Checks a share. */
  share(run: Run, seat: number, kind: string, value: Json): void;
  /** The number of the opening that is needed to compute this run, if one is. */
  needs(run: Run): number | null;
  deal(run: Run, evidence: Json, opening: Json): Chance;
  /** The openings that are due in the end, in their order. */
  due(runs: readonly Run[]): Due[];
  /** Checks the opening of a ticket that was never dealt. */
  undealt(run: Run, opening: Json): void;
  /** Under `croupier/1`: is the order of a whole record unsigned? A false signature is a fault. */
  isUnsigned?(story: Story, remarks: string[]): boolean;
}

export function lenders(seats: readonly Seat[], what: string): number[] {
  return seats.flatMap((seat, index) => seat.lends === what ? [index] : []);
}

export function params(good: boolean, reason: string): asserts good {
  if (!good) throw new Fault("game/params", reason, 1);
}

export function shares(good: boolean, reason: string): asserts good {
  if (!good) throw new Fault("share/bad", reason);
}

export function evidence(good: boolean, reason: string): asserts good {
  if (!good) throw new Fault("fair/bad-evidence", reason);
}

/** An object with just these members. */
export function members(value: Json, names: readonly string[]): JsonObject {
  evidence(isObject(value) && hasJust(value, names), `must be an object with ${names.join(", ") || "nothing"}`);
  return value;
}

/** Seats may lend only this. */
export function lendOnly(seats: readonly Seat[], ...what: string[]): void {
  params(seats.every((seat) => seat.lends === "nothing" || what.includes(seat.lends)), "the scheme does not take this");
}

/** Who still has to give this share to the run. */
export function missing(run: Run, seats: readonly number[], kind: string, here: (seat: number) => boolean): Ask[] {
  return seats
    .filter((seat) => here(seat) && !run.shares.some((share) => share.seat === seat && share.kind === kind))
    .map((seat) => ({ seat, share: kind }));
}
