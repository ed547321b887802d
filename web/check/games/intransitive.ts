/** `intransitive/1`: odd dice; the higher roll wins. */
import { isInteger, type Json, type JsonObject, object, readInt, writeInt } from "../json.ts";
import { type Awaits, type Game, member, only, params } from "./game.ts";

const DICE = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]];

const FACE = /^[ \t\r\n]*([+-]?)([0-9]{1,4000})[ \t\r\n]*$/;

/** A face as people type it; `null` if it is no integer, or too long to be written. */
function typedFace(text: string): bigint | null {
  const [, sign, digits] = FACE.exec(text) ?? [];
  if (!digits) return null;
  const face = BigInt(sign === "-" ? `-${digits}` : digits);
  return `${face}`.length > 4000 ? null : face;
}

/** A die may also be given as text. The rules write it as an array. */
function readDie(given: Json): bigint[] {
  const faces = typeof given === "string"
    ? given.split(",").map(typedFace)
    : Array.isArray(given)
    ? given.map(readInt)
    : [];
  params(faces.length > 0 && faces.every((face) => face !== null), "a die is an array of integers");
  return faces as bigint[];
}

/** What lies on the table. */
export interface DiceView {
  dice: bigint[][];
  /** Who chooses first, once it is drawn. */
  first: number | null;
  chosen: (number | null)[];
  rolls: bigint[];
}

export class Intransitive implements Game {
  readonly seats = 2;
  readonly params: JsonObject;
  private readonly dice: bigint[][];
  private first: number | null = null;
  private readonly chosen: (number | null)[] = [null, null];
  private readonly rolls: bigint[] = [];

  constructor(given: JsonObject) {
    only(given, ["dice"]);
    const dice = member(given, "dice", DICE);
    params(Array.isArray(dice) && dice.length >= 3, "at least three dice");
    this.dice = dice.map(readDie);
    this.params = object({ dice: this.dice.map((die) => die.map(writeInt)) });
  }

  awaits(): Awaits {
    if (this.first === null) return { kind: "draw", n: 2n, hidden: false };
    const second = 1 - this.first;
    for (const seat of [this.first, second]) {
      if (this.chosen[seat] === null) return { kind: "move", seats: [seat] };
    }
    if (this.rolls.length < 2) {
      return { kind: "draw", n: BigInt(this.die(this.rolls.length).length), hidden: false };
    }
    const [c, u] = this.rolls;
    return { kind: "over", payoff: c > u ? [1, -1] : c < u ? [-1, 1] : [0, 0] };
  }

  private die(seat: number): bigint[] {
    return this.dice[this.chosen[seat] as number];
  }

  draw(value: bigint): void {
    if (this.first === null) this.first = value === 0n ? 1 : 0;
    else this.rolls.push(this.die(this.rolls.length)[Number(value)]);
  }

  view(): DiceView {
    return { dice: this.dice, first: this.first, chosen: [...this.chosen], rolls: [...this.rolls] };
  }

  isLegal(_seat: number, move: Json): boolean {
    return isInteger(move) && move >= 0 && move < this.dice.length && !this.chosen.includes(move);
  }

  play(moves: ReadonlyMap<number, Json>): void {
    for (const [seat, move] of moves) this.chosen[seat] = move as number;
  }

  endsWithout(seat: number): number[] {
    return seat === 0 ? [-1, 1] : [1, -1];
  }

  leave(): void {}

  ending(names: readonly string[], [computer]: readonly number[]): string | null {
    if (this.rolls.length < 2) return null;
    const [low, high] = this.rolls[0] < this.rolls[1] ? this.rolls : [this.rolls[1], this.rolls[0]];
    if (low === high) return `A tie: both rolled ${high}. Nobody wins.`;
    return `${names[computer > 0 ? 0 : 1]} wins: ${high} is more than ${low}.`;
  }
}
