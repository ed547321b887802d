/** The English of the Blind Croupier. */
import { plural } from "../words.ts";

export const d = {
  title: "Blind Croupier",
  lead:
    "Video poker between you, a Croupier and a Bank. Your browser is the Player: it holds the key, makes half of the shuffle, and checks both of the others.",
  pitch: "Video poker. Your browser holds the key, shuffles with the Croupier, and the Bank only judges.",
  facts: "you, a Croupier, a Bank",
  money: "Play money and test chains. Nothing here is a licence to run a casino.",
  none: "This arena keeps no Croupier.",
  insecure: "Browsers keep keys only on a safe connection. Open this arena by https, or on your own machine.",
  chips: (count: number) => plural(count, "chip"),

  account: {
    title: "Your account",
    at: "At the Bank",
    deposit: (count: number) => `Bring ${count} play chips`,
    withdraw: "Take all chips out",
    trust: "Whom you must trust:",
    key: "Your key",
    keyText: "It was made in this browser and has never left it. Whoever has it, has your chips.",
    export: "Save the key",
    import: "Use a saved key",
    passphrase: "A passphrase for the file",
    wrong: "This file and this passphrase do not fit together.",
    done: "The key of the file is used now.",
    short: "At least eight characters.",
  },

  bet: {
    title: "Your bet",
    bet: "Chips on each level",
    level: "Level",
    stake: (stake: number) => `You put in ${plural(stake, "chip")}.`,
    deal: "Deal",
    poor: "There are too few chips in your account. Bring some first.",
  },

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
    left: (seconds: number) => `You have ${plural(seconds, "second")} to choose.`,
  },

  pays: {
    title: "What it pays, for each chip",
    hands: [
      ["Royal flush", [250, 500, 750, 1000, 4000]],
      ["Straight flush", [50, 100, 150, 200, 250]],
      ["Four of a kind", [25, 50, 75, 100, 125]],
      ["Full house", [9, 18, 27, 36, 45]],
      ["Flush", [6, 12, 18, 24, 30]],
      ["Straight", [4, 8, 12, 16, 20]],
      ["Three of a kind", [3, 6, 9, 12, 15]],
      ["Two pairs", [2, 4, 6, 8, 10]],
      ["Jacks or better", [1, 2, 3, 4, 5]],
    ] as [string, number[]][],
  },

  /** What happened, in order. */
  strip: "What was told, and checked here",
  step: {
    offer: "The Croupier made two seeds, and fixed them by their hashes",
    hisKey: "His key is the one that the Bank knows",
    canPay: (has: number, top: number) => `He has ${has} chips at the Bank, and the top prize is ${top}`,
    bet: (stake: number) => `You fixed your two seeds and signed the bet: ${plural(stake, "chip")}, for two minutes`,
    locked: "The Bank locked your stake and his top prize, for just this bet",
    hisSeed: (id: number) => `The Croupier’s seed ${id + 1} is at the Bank. It hashes to what he fixed`,
    dealt: "Your browser mixed both first seeds, and dealt your hand",
    order: "You signed which cards to replace, and told your first seed",
    seed1: "You told your second seed",
    drawn: "Your browser mixed both second seeds, and drew the new cards",
    settled: (prize: number) => `The Bank computed the same cards, and paid ${plural(prize, "chip")}`,
  },

  alarm: {
    title: { croupier: "The Croupier does not play fair", bank: "The Bank does not keep its rules" },
    otherBank: "The Croupier plays at another Bank than this arena’s.",
    otherKey: "The key that the Croupier offers is not the one that the Bank knows.",
    otherNumber: "The Croupier offers a game of another number than the Bank’s next.",
    tooPoor: "The Croupier could not pay the top prize. Bet less.",
    otherBet: "The Bank has another bet than the one that you signed.",
    badSeed: "The Bank took a seed that does not hash to what was fixed before.",
    otherCards: "The Bank’s cards are not those that follow from the seeds.",
    otherPrize: "The Bank paid something else than the hand is worth.",
    stop: "Nothing more is signed here. Save the record if there is one: it is your evidence.",
  },

  end: {
    won: (prize: number) => `You win ${plural(prize, "chip")}.`,
    nothing: "Nothing this time.",
    pays: (prize: number) => `It pays ${plural(prize, "chip")}.`,
    lapsed: "Nobody brought the bet to the Bank in time. Nothing was locked, and nothing is lost.",
    hisForfeit: "The Croupier was silent too long. This browser complained, and the Bank made him pay.",
    yourForfeit: "Your time was up. The Bank gave the stake to the Croupier.",
    released: "The game was released. Nobody lost anything.",
  },
};
