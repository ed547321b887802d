/** What every game has in common. A game is a state that goes forward only. */
import { Fault } from "../fault.ts";
import type { Json, JsonObject } from "../json.ts";

export type Awaits =
  | { kind: "draw"; n: bigint; hidden: boolean }
  | { kind: "move"; seats: number[] }
  | { kind: "over"; payoff: number[] };

export interface Game {
  readonly seats: number;
  /** The parameters as the rules write them, all of them. */
  readonly params: JsonObject;
  awaits(): Awaits;
  draw(value: bigint): void;
  isLegal(seat: number, move: Json): boolean;
  /** The moves of all seats that were asked, by seat. */
  play(moves: ReadonlyMap<number, Json>): void;
  /** The payoff, if the game would end when this seat left now. */
  endsWithout(seat: number): number[] | null;
  /** Takes a seat out. Only if the game goes on. */
  leave(seat: number): void;
  /** The position as it lies on the table, for whoever watches. What nobody knows yet is `null`. */
  view(): unknown;
  /** A hidden draw that is not opened yet. A game that can go on without its value has this. */
  playBlind?(): void;
  /** What happened, in a sentence. `null`: the game ended because somebody left. */
  ending(names: readonly string[], payoff: readonly number[]): string | null;
  /** What the rules can check of a game that has ended by them, by the claim's name. */
  proofs?(): { [claim: string]: Proof };
}

/** Something that the rules can check beyond legal moves. */
export interface Proof {
  answer: "yes" | "no" | "not shown";
  says: string;
}

/** "1 brain", "2,000 brains" */
export const counted = (number: number, one: string, many = one + "s"): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export function params(good: boolean, reason: string): asserts good {
  if (!good) throw new Fault("game/params", reason, 1);
}

/** No member that the game does not have. */
export function only(given: JsonObject, names: readonly string[]): void {
  params(Object.keys(given).every((name) => names.includes(name)), "a parameter that the game does not have");
}

/** A member, or its default. */
export function member(given: JsonObject, name: string, otherwise: Json): Json {
  return name in given ? given[name] : otherwise;
}
