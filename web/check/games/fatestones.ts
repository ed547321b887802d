/** `fatestones/1`: three odd dice each, a sealed pick, one roll. */
import { isInteger, type Json, type JsonObject, object } from "../json.ts";
import { type Awaits, type Game, member, only, params } from "./game.ts";

function isDie(value: Json): value is string {
  return typeof value === "string" && /^[1-6]{6}$/.test(value) && [...value].sort().join("") === value;
}

/** The 32 dice whose digits sum up to 21. */
function standard(): string[] {
  const out: string[] = [];
  const grow = (die: string, sum: number) => {
    if (die.length === 6) {
      if (sum === 21) out.push(die);
      return;
    }
    for (let digit = Number(die.at(-1) ?? 1); digit <= 6; digit++) grow(die + digit, sum + digit);
  };
  grow("", 0);
  return out;
}

/** What lies on the table. */
export interface FateView {
  hands: [string[], string[]];
  dealing: boolean;
  /** The dice that both took, while they roll. */
  chosen: number[] | null;
  /** The last roll: the two dice, and what they showed. */
  last: { dice: [string, string]; rolls: [number, number] } | null;
  /** How many rolls there were. */
  round: number;
  payoff: number[] | null;
}

export class FateStones implements Game {
  readonly seats = 2;
  readonly params: JsonObject;
  private readonly dice: string[] | null;
  private readonly redeal: boolean;
  private bag: string[] = [];
  private hands: [string[], string[]] = [[], []];
  private dealing: boolean;
  private chosen: number[] | null = null;
  private rolls: number[] = [];
  private payoff: number[] | null = null;
  private last: FateView["last"] = null;
  private round = 0;

  constructor(given: JsonObject) {
    if ("hands" in given) {
      only(given, ["hands"]);
      const { hands } = given;
      params(Array.isArray(hands) && hands.length === 2, "two hands");
      const [a, b] = hands;
      params(Array.isArray(a) && Array.isArray(b) && a.length === b.length, "as many dice for both");
      params(a.length >= 1 && a.length <= 3 && [...a, ...b].every(isDie), "one to three dice");
      this.params = object({ hands: [[...a], [...b]] });
      this.hands = [[...a] as string[], [...b] as string[]];
      this.dice = null;
      this.redeal = false;
      this.dealing = false;
    } else {
      only(given, ["dice", "scratch"]);
      const dice = member(given, "dice", standard());
      const scratch = member(given, "scratch", "redeal");
      params(Array.isArray(dice) && dice.length >= 6 && dice.every(isDie), "at least six dice");
      params(scratch === "redeal" || scratch === "end", "scratch is redeal or end");
      // The rules write them sorted. Another order is not the line that must stand.
      this.dice = [...dice as string[]].sort();
      this.params = object({ dice: [...this.dice], scratch });
      this.redeal = scratch === "redeal";
      this.bag = [...this.dice];
      this.dealing = true;
    }
  }

  awaits(): Awaits {
    if (this.payoff) return { kind: "over", payoff: this.payoff };
    if (this.dealing) return { kind: "draw", n: BigInt(this.bag.length), hidden: false };
    if (this.chosen) return { kind: "draw", n: 6n, hidden: false };
    return { kind: "move", seats: [0, 1] };
  }

  draw(value: bigint): void {
    if (this.dealing) {
      const seat = (this.hands[0].length + this.hands[1].length) % 2;
      this.hands[seat].push(...this.bag.splice(Number(value), 1));
      this.dealing = this.hands[1].length < 3;
      return;
    }
    const seat = this.rolls.length;
    const die = this.hands[seat][(this.chosen as number[])[seat]];
    this.rolls.push(Number(die[Number(value)]));
    if (this.rolls.length === 2) this.rolled();
  }

  private rolled(): void {
    const [a, b] = this.rolls;
    const chosen = this.chosen as number[];
    this.last = { dice: [this.hands[0][chosen[0]], this.hands[1][chosen[1]]], rolls: [a, b] };
    this.round++;
    this.rolls = [];
    this.chosen = null;
    if (a !== b) {
      this.payoff = a > b ? [1, -1] : [-1, 1];
      return;
    }
    for (const seat of [0, 1]) this.hands[seat].splice(chosen[seat], 1);
    if (this.hands[0].length) return;
    if (this.redeal && this.dice) {
      this.bag = [...this.dice];
      this.dealing = true;
    } else this.payoff = [0, 0];
  }

  view(): FateView {
    return {
      hands: [[...this.hands[0]], [...this.hands[1]]],
      dealing: this.dealing,
      chosen: this.chosen,
      last: this.last,
      round: this.round,
      payoff: this.payoff,
    };
  }

  isLegal(seat: number, move: Json): boolean {
    return isInteger(move) && move >= 0 && move < this.hands[seat].length;
  }

  play(moves: ReadonlyMap<number, Json>): void {
    this.chosen = [moves.get(0) as number, moves.get(1) as number];
  }

  endsWithout(seat: number): number[] {
    return seat === 0 ? [-1, 1] : [1, -1];
  }

  leave(): void {}

  ending(names: readonly string[], [first]: readonly number[]): string | null {
    if (!this.payoff || !this.last) return null;
    const [a, b] = this.last.rolls;
    if (a === b) return `A scratch: both rolled ${a} with the last dice. Nobody wins.`;
    return `${names[first > 0 ? 0 : 1]} wins: ${Math.max(a, b)} is more than ${Math.min(a, b)}.`;
  }
}
