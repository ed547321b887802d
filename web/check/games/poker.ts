/** `poker/2` and `bank-poker/1`: video poker. */
import { isBetween, type Json, type JsonObject, object } from "../json.ts";
import { type Awaits, counted, type Game, member, only, params } from "./game.ts";

const ROYAL = [250, 500, 750, 1000, 4000];

const SUITS = "♡♢♧♤";
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

/** Kinds of hands, the worst first, and what each pays on level 1. A royal flush pays by a table of its own. */
const KINDS: readonly [string, number][] = [
  ["nothing", 0],
  ["jacks or better", 1],
  ["two pair", 2],
  ["three of a kind", 3],
  ["straight", 4],
  ["flush", 6],
  ["full house", 9],
  ["four of a kind", 25],
  ["straight flush", 50],
  ["royal flush", NaN],
];

/** The kind of a hand: its place in `KINDS`. */
function kindOf(hand: readonly number[]): number {
  const ranks = hand.map((card) => card % 13).sort((a, b) => a - b);
  const counts = [...new Set(ranks)].map((rank) => ranks.filter((other) => other === rank).length);
  counts.sort((a, b) => b - a);
  const flush = hand.every((card) => Math.floor(card / 13) === Math.floor(hand[0] / 13));
  const wheel = ranks.join() === "0,1,2,3,12";
  const straight = counts.length === 5 && (ranks[4] - ranks[0] === 4 || wheel);
  if (flush && straight) return ranks[0] === 8 ? 9 : 8;
  if (counts[0] === 4) return 7;
  if (counts[0] === 3 && counts[1] === 2) return 6;
  if (flush) return 5;
  if (straight) return 4;
  if (counts[0] === 3) return 3;
  if (counts[0] === 2 && counts[1] === 2) return 2;
  const pair = ranks.find((rank, i) => ranks[i + 1] === rank);
  return pair !== undefined && pair >= 9 ? 1 : 0;
}

/** What a hand pays for each chip of the bet. */
export function pays(hand: readonly number[], level: number): number {
  const kind = kindOf(hand);
  return kind === 9 ? ROYAL[level - 1] : KINDS[kind][1] * level;
}

/** What lies on the table. */
export interface PokerView {
  bet: number;
  level: number;
  hand: number[];
  /** The places that were exchanged: 1, or 0 for a card that was kept. */
  order: number[] | null;
  /** What the hand pays for each chip; `null` before it is whole. */
  pays: number | null;
}

export class Poker implements Game {
  readonly seats = 2;
  readonly params: JsonObject;
  private readonly bet: number;
  private readonly level: number;
  private readonly unseen = Array.from({ length: 52 }, (_, card) => card);
  private readonly hand: number[] = [];
  private order: number[] | null = null;
  /** The places that still get a new card. */
  private places: number[] = [];

  constructor(given: JsonObject, private readonly atBank = false) {
    only(given, ["bet", "level"]);
    const bet = member(given, "bet", 1);
    const level = member(given, "level", 5);
    params(isBetween(bet, 1, 10), "bet is 1 to 10");
    params(isBetween(level, 1, 5), "level is 1 to 5");
    [this.bet, this.level] = [bet, level];
    this.params = object({ bet, level });
  }

  private get stake(): number {
    return this.bet * this.level;
  }

  private payoff(prize: number): number[] {
    // Not `-(x)`: that could be a negative zero.
    return [this.stake - prize, prize - this.stake];
  }

  awaits(): Awaits {
    if (this.hand.length < 5 || this.places.length) {
      return { kind: "draw", n: BigInt(this.unseen.length), hidden: false };
    }
    if (!this.order) return { kind: "move", seats: [1] };
    return { kind: "over", payoff: this.payoff(this.bet * pays(this.hand, this.level)) };
  }

  draw(value: bigint): void {
    const [card] = this.unseen.splice(Number(value), 1);
    if (this.hand.length < 5) this.hand.push(card);
    else this.hand[this.places.shift() as number] = card;
  }

  view(): PokerView {
    const { bet, level, order } = this;
    const whole = this.hand.length === 5 && !this.places.length;
    return { bet, level, hand: [...this.hand], order, pays: whole ? pays(this.hand, level) : null };
  }

  isLegal(_seat: number, move: Json): boolean {
    return Array.isArray(move) && move.length === 5 && move.every((one) => isBetween(one, 0, 1));
  }

  play(moves: ReadonlyMap<number, Json>): void {
    this.order = moves.get(1) as number[];
    this.places = this.order.flatMap((one, place) => one ? [place] : []);
  }

  endsWithout(seat: number): number[] {
    if (seat === 1) return this.payoff(0);
    if (!this.atBank) return this.payoff(this.bet * ROYAL[this.level - 1]);
    if (this.hand.length === 0) return this.payoff(2 * this.stake);
    if (this.order?.includes(1)) return this.payoff(this.silence(this.order));
    const standing = this.hand.length === 5 ? this.bet * pays(this.hand, this.level) : 0;
    return this.payoff(Math.max(30 * this.stake, standing));
  }

  /** What silence costs, in chips, once this order is given. The replaced cards still lie in the hand. */
  private silence(order: number[]): number {
    const replaced = order.filter((one) => one).length;
    if (replaced > 1) return this.stake * [5, 2, 1, 1][replaced - 2];
    const place = order.indexOf(1);
    let total = 0;
    for (const card of this.unseen) {
      total += this.bet * pays(this.hand.with(place, card), this.level);
    }
    return Math.ceil(total / this.unseen.length) + this.stake;
  }

  leave(): void {}

  ending(names: readonly string[], payoff: readonly number[]): string {
    const won = payoff[1];
    const chips = counted(Math.abs(won), "chip");
    const settled = won ? `${names[1]} ${won > 0 ? "wins" : "loses"} ${chips}.` : `${names[1]} breaks even.`;
    if (!this.order || this.hand.length < 5 || this.places.length) return settled;
    const cards = this.hand.map((card) => RANKS[card % 13] + [...SUITS][Math.floor(card / 13)]).join(" ");
    const prize = this.bet * pays(this.hand, this.level);
    if (!prize) return `${cards} pays nothing. ${settled}`;
    return `${cards}: ${KINDS[kindOf(this.hand)][0]} pays ${counted(prize, "chip")}. ${settled}`;
  }
}
