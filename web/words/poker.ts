/** The English of video poker. The Blind Croupier, which is loaded later, has more words. */
import { does, type People, plural } from "../words.ts";

export const v = {
  croupier: "Blind Croupier",
  croupierPitch: "Video poker. Your browser holds the key, shuffles with the Croupier, and the Bank only judges.",
  pitch: "Five cards, of which you may replace some. A pair of jacks, or better, pays.",
  facts: "you, a Croupier, a Bank",
  pays: (prize: number) => `It pays ${plural(prize, "chip")}.`,
  result: (prize: number, stake: number) =>
    `The hand pays ${prize ? plural(prize, "chip") : "nothing"}, for ${plural(stake, "chip")} put in.`,
  dealt: "The cards are dealt",
  drawn: "New cards are drawn",
  orders: (people: People, seat: number, count: number) =>
    count ? `${does(people, seat, "draw")} ${plural(count, "card")}` : `${does(people, seat, "keep")} all five cards`,

  table: {
    cards: "Your hand",
    held: "hold",
    replaced: "draw",
    choose: "Choose the cards that you keep.",
    draw: (count: number) => count ? `Draw ${plural(count, "card")}` : "Keep all five",
    next: "Next hand",
    working: "Seeds are told, and checked …",
    empty: "Five cards, once the bet is signed.",
    toggle: (place: number) => `Hold card ${place}, or not`,
    left: (seconds: number) =>
      `You have ${seconds > 90 ? plural(Math.floor(seconds / 60), "minute") : plural(seconds, "second")}.`,
  },
};
