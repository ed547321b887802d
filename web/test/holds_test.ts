/** What a hand is worth in the browser: against the rules, hand by hand, and against the solver's fractions. */
import { pays } from "../check/games/poker.ts";
import { atOnce } from "../check/slices.ts";
import { counting } from "../desk/holds.ts";

const HANDS = [[0, 15, 30, 45, 8], [8, 9, 10, 11, 25], [3, 16, 29, 42, 50]];

/** Every hand that follows an order of at most two new cards, by the checker's own rules. */
function byHand(hand: readonly number[], order: readonly number[], level: number): { prizes: number; hands: number } {
  const unseen = Array.from({ length: 52 }, (_, card) => card).filter((card) => !hand.includes(card));
  const places = order.flatMap((one, place) => one ? [place] : []);
  let hands = 0, prizes = 0;
  const fill = (cards: readonly number[], next: number, from: number) => {
    if (next === places.length) {
      hands++;
      prizes += pays(cards, level);
      return;
    }
    for (let i = from; i < unseen.length; i++) fill(cards.with(places[next], unseen[i]), next + 1, i + 1);
  };
  fill(hand, 0, 0);
  return { prizes, hands };
}

Deno.test("what a hold is worth, by the rules", () => {
  for (const hand of HANDS) {
    for (const level of [1, 5]) {
      const found = atOnce(counting(hand, level));
      if (found.length !== 32) throw new Error("there are 32 ways to hold");
      for (const { order, prizes, hands } of found) {
        if (order.filter(Boolean).length > 2) continue;
        const rules = byHand(hand, order, level);
        if (rules.prizes !== prizes || rules.hands !== hands) throw new Error(`${hand} ${order}: ${prizes}/${hands}`);
      }
    }
  }
});

Deno.test("what a hold is worth, by the solver", () => {
  // fairground.games.poker.solver.holds: the best order, its worth in stakes, and that of keeping nothing.
  const known: [number[], number, number[], number, number][] = [
    [HANDS[0], 1, [1, 1, 1, 1, 1], 182914 / 511313, 182914 / 511313],
    [HANDS[0], 5, [1, 1, 1, 1, 1], 183464 / 511313, 183464 / 511313],
    [HANDS[1], 1, [0, 0, 0, 0, 1], 371 / 47, 446878 / 1533939],
    [HANDS[1], 5, [0, 0, 0, 0, 1], 921 / 47, 149326 / 511313],
    [HANDS[2], 1, [0, 0, 0, 0, 0], 25, 566747 / 1533939],
    [HANDS[2], 5, [0, 0, 0, 0, 0], 25, 568397 / 1533939],
  ];
  for (const [hand, level, order, value, nothing] of known) {
    const found = atOnce(counting(hand, level));
    const near = (a: number, b: number) => Math.abs(a - b) < 1e-12;
    const none = found.find((one) => one.order.every(Boolean))!;
    const [best] = found;
    if (best.order.join() !== order.join()) throw new Error(`${hand}: ${best.order}`);
    if (!near(best.prizes / best.hands / level, value)) throw new Error(`${hand}: ${best.prizes}/${best.hands}`);
    if (!near(none.prizes / none.hands / level, nothing)) throw new Error(`${hand}: nothing is ${none.prizes}`);
  }
});
