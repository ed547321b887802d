/** What each of the 32 ways to hold a hand is worth: every hand that can follow is counted, here, and nobody is asked. */
import type { Slices } from "../check/slices.ts";

/** A way to hold, and what it brings. */
export interface Hold {
  /** 1 replaces a card, 0 keeps it. */
  order: number[];
  /** The prizes of all hands that can follow, added up, for each chip of the bet. */
  prizes: number;
  /** How many hands can follow. */
  hands: number;
}

const ROYAL = [250, 500, 750, 1000, 4000];
const ROYAL_RANKS = 0b1111100000000;
/** Five ranks in a row, as bits; the ace also stands below the two. */
const STRAIGHTS = new Set([0b1000000001111, ...Array.from({ length: 9 }, (_, low) => 0b11111 << low)]);

/**
 * What five cards pay for each chip. Bits stand for ranks: those that are there at all, twice, three times and four
 * times; and for suits.
 */
function prize(ranks: number, twice: number, thrice: number, four: number, suits: number, level: number): number {
  if (!twice) {
    const flush = (suits & (suits - 1)) === 0, straight = STRAIGHTS.has(ranks);
    if (flush && straight) return ranks === ROYAL_RANKS ? ROYAL[level - 1] : 50 * level;
    return flush ? 6 * level : straight ? 4 * level : 0;
  }
  if (four) return 25 * level;
  if (thrice) return (twice === thrice ? 3 : 9) * level;
  if (twice & (twice - 1)) return 2 * level;
  return twice >= 1 << 9 ? level : 0;
}

/** All 32 ways, the best first; of equal ones, that which keeps more. */
export function* counting(hand: readonly number[], level: number): Slices<Hold[]> {
  const unseen = Array.from({ length: 52 }, (_, card) => card).filter((card) => !hand.includes(card));
  let hands = 0;

  function all(
    from: number,
    wanted: number,
    ranks: number,
    twice: number,
    thrice: number,
    four: number,
    suits: number,
  ): number {
    if (!wanted) {
      hands++;
      return prize(ranks, twice, thrice, four, suits, level);
    }
    let sum = 0;
    for (let i = from; i <= unseen.length - wanted; i++) {
      const rank = 1 << unseen[i] % 13, suit = 1 << Math.floor(unseen[i] / 13);
      sum += all(
        i + 1,
        wanted - 1,
        ranks | rank,
        twice | (ranks & rank),
        thrice | (twice & rank),
        four | (thrice & rank),
        suits | suit,
      );
    }
    return sum;
  }

  const found: Hold[] = [];
  for (let held = 0; held < 32; held++) {
    yield held;
    const order = hand.map((_, place) => held >> place & 1 ? 0 : 1);
    let [ranks, twice, thrice, four, suits] = [0, 0, 0, 0, 0];
    for (const card of hand.filter((_, place) => !order[place])) {
      const rank = 1 << card % 13;
      [four, thrice, twice, ranks] = [
        four | (thrice & rank),
        thrice | (twice & rank),
        twice | (ranks & rank),
        ranks | rank,
      ];
      suits |= 1 << Math.floor(card / 13);
    }
    hands = 0;
    const prizes = all(0, order.filter(Boolean).length, ranks, twice, thrice, four, suits);
    found.push({ order, prizes, hands });
  }
  const kept = ({ order }: Hold) => order.filter((one) => !one).length;
  return found.sort((a, b) => b.prizes * a.hands - a.prizes * b.hands || kept(b) - kept(a));
}

/** What a way to hold brings for each chip of the bet, on average. */
export const worth = ({ prizes, hands }: Hold) => prizes / hands;
