/** The English of the Blind Croupier. */
import { plural } from "../words.ts";
import { v } from "./poker.ts";

export const d = {
  title: v.croupier,
  lead:
    "Video poker between you, a Croupier and a Bank. Your browser is the Player: it holds the key, makes half of the shuffle, and checks both of the others.",
  none: "This arena keeps no Croupier.",
  elsewhere: "The Croupier is played with in another tab of this browser.",
  chips: (count: number) => plural(count, "chip"),

  account: {
    title: "Your account",
    at: "At the Bank",
    deposit: (count: number) => `Bring ${count} play chips`,
    withdraw: "Take all chips out",
    trust: "Whom you must trust:",
    ledger:
      "the operator of this arena. This Bank is a ledger of play money, and whoever keeps its database could leave out, refuse or rewrite what was done",
  },

  key: {
    title: "Your key",
    about: (origin: "made" | "file" | null, saved: boolean) =>
      origin === "file"
        ? "It came from a file that you chose, so there is at least one copy outside of this browser."
        : origin === null
        ? "It is kept in this browser."
        : saved
        ? "It was made in this browser, and you have saved a copy in a file."
        : "It was made in this browser and has never left it. If this browser forgets it, your chips are gone: save it.",
    whoever: "Whoever has the key has your chips.",
    holds: (chips: number, ether: string) =>
      `${chips ? plural(chips, "chip") : "no chips"} at the Bank${ether ? ` and ${ether} ether` : ""}`,
    export: "Save the key",
    exportIt: "Save the file",
    import: "Use a saved key",
    importIt: "Open the file",
    file: "Key file",
    passphrase: "Passphrase of the file",
    again: "The same passphrase again",
    short: "At least eight characters.",
    differ: "The two passphrases are not the same. Nothing was saved.",
    wrong: "This file and this passphrase do not fit together.",
    same: "This file holds the key that you already use.",
    saved: "The file is saved. It opens only with its passphrase.",
    saveFirst: "Save the old key now. You are asked about the other key again afterwards.",
    done: "The other key is used now.",
    instead: "Use another key?",
    insteadText: (old: string, holds: string, other: string) =>
      `Your key ${old} has ${holds}. With the key ${other} you play from another account.`,
    stays: "Your old key stays in this browser, and you can go back to it. A copy in a file is safer still.",
    saveOld: "Save the old key first",
    useNew: "Use the other key",
    keepOld: "Keep the old key",
    others: "Other keys in this browser",
    use: "Use this key",
  },

  /** The Bank on a chain, through a node of the user's. */
  node: {
    title: "A node of the chain",
    ask: (chain: string) =>
      `This Croupier plays at a contract on the chain ${chain}. Name a node of that chain, best your own: this browser asks it what the Bank has and does, and sends it what you sign.`,
    why: "The page comes again, and may then talk to this arena and to your node, and to nobody else.",
    url: "The address of the node",
    example: "such as http://127.0.0.1:8545",
    confirmations: "Blocks to wait for on top of the Croupier’s seed",
    use: "Use this node",
    other: "Use another node",
    bad: "The address of a node begins with http:// or https://.",
    trusted: (host: string) =>
      `the chain, and the node at ${host}. This browser has compared the contract’s code with the Bank that it knows, byte for byte`,
    away: (host: string) =>
      `No node answers at ${host}. Is it there, and does it let pages of this address ask (CORS)?`,
    otherChain: (is: number, wanted: number) => `This node is on the chain ${is}, and the Croupier plays on ${wanted}.`,
    refused: (why: string) => `The Bank refused: ${why}`,
    overtaken: "Something else came before this call, and it did nothing. Look, and try again.",
    slow: "The transaction is in no block yet. It is kept here, and may still come.",
    dear: "Gas is very dear now. Nothing is lost by waiting.",
    outside: (ether: string) => `Outside of the Bank, for chips and for gas: ${ether} ether`,
    fill: (chain: number) =>
      `Send ether of the chain ${chain} to this address. Keep some outside of the Bank: calls cost gas.`,
    bring: (count: number) => `Bring ${plural(count, "chip")}`,
    again: "Look again",
  },

  bet: {
    bet: "Chips on each level",
    level: "Level",
    stake: (stake: number) => `You put in ${plural(stake, "chip")}.`,
    deal: "Deal",
    poor: "There are too few chips in your account for this bet.",
  },

  notTaken: (reason: string) =>
    `The Croupier did not take it: ${reason} What you signed still counts for a while, so your browser keeps it in mind.`,

  table: v.table,

  /** The coach, who counts in this browser. */
  advice: {
    keep: (cards: string, drawn: number) => drawn === 5 ? "keep nothing" : drawn ? `keep ${cards}` : "keep all five",
    best: (keep: string, worth: string, stake: number) =>
      `Best: ${keep}. That brings ${worth} chips on average, for the ${stake} that you put in.`,
    next: (keep: string, worth: string) => `Next best: ${keep}, ${worth}.`,
    how: "Every hand that can follow was counted, in this browser. The Croupier does not know that you asked.",
    right: (worth: string, stake: number) =>
      `No choice was better: it brings ${worth} chips on average, for the ${stake} that you put in.`,
    wrong: (worth: string, keep: string, best: string) =>
      `Your choice brings ${worth} chips on average. Better: ${keep}, ${best}.`,
  },

  pays: {
    title: "What it pays, with one chip on each level",
    head: "Hand, at level",
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
  noSteps: "Nothing yet. While a hand is played, each step stands here as soon as your browser has checked it.",
  step: {
    offer: "The Croupier made two seeds, and fixed them by their hashes",
    hisKey: "His key is the one that the Bank knows",
    canPay: (has: number, top: number) =>
      `He has ${plural(has, "chip")} at the Bank, and the top prize is ${plural(top, "chip")}`,
    bet: (stake: number) =>
      `You fixed your two seeds and signed a bet of ${plural(stake, "chip")}. The Bank may take it within two minutes`,
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
    otherCode: "There is no Bank at this address of the chain, or its code is not the one that this page was made for.",
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
    lapsed: "Nobody brought the bet to the Bank in time. Nothing was locked, and nothing is lost.",
    hisForfeit: (paid: number) =>
      `The Croupier was silent too long. This browser complained, and the Bank made him pay ${plural(paid, "chip")}.`,
    yourForfeit: "Your time was up. The Bank gave the stake to the Croupier.",
  },
};
