/** The English of the coach: the review of a game, and positions to practise on. */
import { plural } from "../words.ts";

export const r = {
  title: "Review",
  thinking: "The coach works out what each decision was worth …",
  decisions: (all: number, mistakes: number) =>
    all === 0
      ? "You had nothing to decide."
      : all === 1
      ? mistakes ? "You had one decision, and it was not the best." : "You had one decision, and no move was better."
      : mistakes
      ? `You had ${plural(all, "decision")}. ${plural(mistakes, "of them was", "of them were")} not the best.`
      : `You had ${plural(all, "decision")}, and none could have been better.`,
  adds: "How the result adds up",
  start: "Expected at the beginning",
  luck: "Luck",
  own: "Your decisions",
  given: "What the others gave away",
  model: "What the model leaves open",
  result: "Result",
  game: "the game",
  notFound: "not found",
  unit: (unit: string) => `Counted in ${unit}.`,
  odds: (good: boolean, low: number, high: number) => {
    const part = (low + high) / 2;
    return part > 0 && part < 1
      ? `Luck at least as ${good ? "good" : "bad"} as this comes in 1 game of ${Math.max(1, Math.round(1 / part))}.`
      : "";
  },
  costs: (cost: string, unit: string) => cost === "the game" ? cost : `${cost} ${unit}`,
  mattered: "The decisions that mattered",
  line: (line: number) => `line ${line}`,
  best: "best",
  chart: (values: string) => `What you could expect, from step to step: ${values}.`,
  caption: "What you could expect, step by step. A square is a decision of yours: red if it cost something.",

  whatEach: "Why, and what each was worth",
  again: "Try again from there",
  away: "Put it away",
  practise: {
    title: "Practise",
    lead:
      "Positions from your own games in which you gave something away. A position comes back until you have answered it right twice in a row. Your progress is kept in this browser.",
    what: "What would you do?",
    from: (title: string, line: number) => `${title}, line ${line}`,
    nothing:
      "There is nothing to practise. Finish a game and look at its review: where you gave something away, you can try again.",
    done: "That is all for now. New positions come from the reviews of your games.",
    once: "Once more",
    next: "Next position",
    open: "Open the game",
    sit: (learnt: number, all: number) => `${learnt} of ${plural(all, "position")} learnt.`,
  },
};
