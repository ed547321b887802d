/** All English of verify.html. What comes out of a file goes through `shown` or `quoted`, so that it cannot pretend to be ours. */
import type { Working } from "../check/bytes.ts";
import type { Witness } from "../check/claims.ts";
import { listed, quoted, shown } from "../check/words.ts";
import * as verdictWords from "../words/verdict.ts";

export { answers, faults, not, otherFault, points, stamp } from "../words/verdict.ts";
export const name = quoted;
export const outside = shown;

export function count(number: number, one: string, many = one + "s"): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export const page = {
  title: "Fairground: check it yourself",
  brand: "Fairground",
  skip: "Skip to the verdict",
  offline: "works without a network",
  heading: "Check it yourself.",
  lead:
    "This page plays the game again on your machine: every hash, link, seal and roll. It uses its own code and none of " +
    "the arena’s. Save it, pull the plug, and it still works.",
  drop: "Drop a game here",
  dropMore: "with its receipts, or a contest’s file",
  choose: "Choose files",
  sample: "Try the example",
  sampleName: "example.jsonl",
  sampleReceipts: "example.receipts",
  working: "One moment …",
  checking: (line: number) => `Checking line ${line.toLocaleString("en")} …`,
  remove: (file: string) => `Take ${file} away`,
  games: "Games in these files",
  unreadableFile: (file: string) => `${file} cannot be read.`,
  receiptLabel: "A receipt that you kept",
  receiptHint: "64 hex digits",
  receiptAdd: "Add it",
  receiptKept: (head: string) => `receipt ${head.slice(0, 8)}…`,
};

export const verdict = {
  label: "Verdict",
  failedHere: "This page failed on this file. That is a mistake of ours, and no verdict. Use another checker.",
  about: (game: string, dealer: string) => `${game}, dealt by ${dealer}`,
  record: (number: number) => count(number, "line"),
  line: (line: number | null) => line === null ? "" : `Line ${line}: `,
  differs: (recorded: string, computed: string) => `The record says ${recorded}. Rules and evidence give ${computed}.`,
  depths: "How deep the check went",
  depth: {
    chain: ["Chain", "the file agrees with itself; whether lines were left out, only receipts show"],
    "chance and seals": [
      "Chance and seals",
      "every draw follows from the evidence, and every opened choice is what was sealed",
    ],
    rules: ["Rules", "every move was allowed, and the result is what the rules give"],
  } as { [depth: string]: [string, string] },
  passed: "holds",
  failed: "does not hold",
  notReached: "not checked",
  change: "Change one digit",
  forge: "Forge it better",
  undo: "Undo",
  try: "Would it notice? Try:",
  save: "Save this game",
  said: (stamped: string, claims: number) =>
    `${stamped}. ${claims ? `${count(claims, "claim")} with conditions.` : "Nothing is claimed."}`,
};

/** What was changed on purpose. */
export const forged = {
  changed: (line: number, what: string, from: string, to: string) =>
    `You changed ${what} on line ${line} from ${from} to ${to}.`,
  plain: "The line has another hash now, and the next line still names the old one. So the chain breaks there.",
  better:
    "Then you made all later hashes anew, so the chain is whole again. What gives this change away is the game itself.",
  draw: (number: number) => `draw ${number}`,
  move: "a move",
  payoff: "the result",
};

export const claims = {
  ...verdictWords.claims,
  heading: "What this one proves",
  headingContest: "What this contest proves",
  none: "Only that the recorded moves follow the rules. Nobody lent anything to chance here that would prove more.",
  unknown: "Nothing, as far as this page can tell: it does not know how this game was played.",
  unfinished: "Nothing yet. The game is not finished.",
  broken: "Nothing. An invalid record proves nothing.",
  witness: (witness: Witness | null, what: "run" | "turn"): string => {
    if (!witness) return "";
    if (witness.by === "signature") return "Who witnesses the order: the Player’s signature.";
    if (witness.by === "house") {
      return "Who witnesses the order: the house alone. Receipts that you kept would show it.";
    }
    const shownBy = `Who witnesses the order: receipts, for ${count(witness.shown.length, what)}`;
    return witness.told.length
      ? `${shownBy}; the house alone, for ${count(witness.told.length, what)}.`
      : `${shownBy}.`;
  },
  remarks: "Remarks",
};

export const steps = {
  heading: "Step by step",
  took: (number: number, ms: number) =>
    `${count(number, "step")} in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms · 0 requests`,
  order: "In the order of the record. Whether things happened in this order is said with each claim.",
  bytes: "the bytes",
  more: (number: number) => `Show the other ${count(number, "step")}`,
  all: "all",
  chain: "The file agrees with itself",
  chainWords: (number: number) =>
    `${
      count(number, "line")
    }. Each names the hash of the one before it, and all the hashes fit. Whoever writes a file can ` +
    "make them fit. Whether lines were left out or written anew, only receipts show.",
  chainBroken: "The chain is broken here",
  hash: (line: number) => `SHA3-256 of line ${line}, with its line feed`,
  names: (line: number) => `line ${line} names`,
  hashesTo: (line: number) => `line ${line} hashes to`,
  theLine: (line: number) => `line ${line}`,
  notText: "bytes that are no text",

  start: {
    "hash-chains/1": [
      "The house fixed its part",
      "It named the tip of a chain of hashes. All its later links must hash to this tip.",
    ],
    "hmac-sha3-user/1": [
      "The table was opened",
      "For each draw the house names an HMAC, and must show the number behind it.",
    ],
    "contest/1": [
      "The contest’s seed was fixed",
      "One seed makes all codes. It must fit this commitment, which stands in the contest’s book, too.",
    ],
    "croupier/1": [
      "The bet was signed",
      "The Player’s key signed it. It holds the commitments of both parties to all their seeds.",
    ],
  } as { [dealer: string]: [string, string] },
  opened: "The table was opened",
  openedWords: "Nothing binds the house under this scheme. So the draws prove nothing.",
  ticketHmac: (run: number) => `The house fixed its number for draw ${run}`,
  ticketHmacWords: "It named an HMAC of the number. Key and number are shown with the draw, and must fit it.",
  ticketBlind: (run: number) => `The house fixed a secret key for draw ${run}`,
  ticketBlindWords: "The draw stays hidden until the end. Then the key is opened, and everything is computed again.",
  ticketSeed: "The Croupier told a seed",
  ticketSeedWords: "It is the signature that the bet holds a commitment to. So there was only one that he could tell.",
  ticketTip: "The house fixed its next chain",
  ticketTipWords: "Its chain is used up. All links of the next one must hash to this tip.",
  tip: (who: string) => `${who} fixed theirs`,
  tipWords: "The tip of a chain of their own. All their later links must hash to this tip.",
  nextTip: (who: string) => `${who} fixed the next chain`,
  link: (who: string, run: number) => `${who} gave a link for draw ${run}`,
  linkWords: "It hashes to the link before it. So it was fixed when the tip was.",
  number: (who: string, value: string) => `${who} said ${value}`,
  numberWords: "The number is added to that of the house.",
  stir: (who: string) => `${who} gave words for the draw`,
  stirWords: (text: string) => `“${text}”`,
  seed: (who: string) => `${who} told a seed`,
  seedWords: "It is the signature that the bet holds a commitment to.",

  dealtBy: {
    "hash-chains/1": (lenders: readonly string[]) =>
      lenders.length ? `from the links of the house and of ${listed(lenders)}` : "from the house’s link",
    "hmac-sha3-user/1": (lenders: readonly string[]) =>
      lenders.length ? `from the numbers of the house and of ${listed(lenders)}` : "from the house’s number",
    "contest/1": () => "from the contest’s seed",
    "croupier/1": () => "from the seeds of both parties",
    "croupier-2017/0": () => "from two small numbers",
    "seeded/1": () => "from a seed that everybody knows",
    "system/1": () => "by the house alone",
  } as { [dealer: string]: (lenders: readonly string[]) => string },
  drawn: (by: string) => `Drawn, ${by}`,
  hidden: (by: string) => `Drawn and hidden, ${by}`,
  hiddenWords: "The house told the value in the end. It is computed here from what was opened.",
  draws: (draws: readonly (readonly [string, string])[]) =>
    draws.slice(0, 12).map(([n, value]) => `${value} of ${n}`).join(", ") + (draws.length > 12 ? " …" : "") +
    ". Values count from 0.",
  sealed: (number: number) =>
    number === 2
      ? "Both choices were sealed before either was opened"
      : "All choices were sealed before one was opened",
  sealing: (who: string) => `${who} sealed a choice`,
  sealingWords: "32 bytes that hide it. They fit one choice only.",
  opens: (who: string) => `${who} opened the seal`,
  move: (who: string) => `${who} moved`,
  moveWords: (move: string) => `${move}. The rules allow it.`,
  signed: "The Player signed the order",
  signedWords: "The signature fits the cards that were exchanged. Nobody without the Player’s key could make it.",
  disguise: "The disguise of this entry",
  disguiseWords:
    "Each entry meets the codes with other digits in other places. The contest’s file shows that the seed gives this one.",
  note: "A note",
  noteWords: "Nothing depends on it.",
  left: (who: string) => `${who} left`,
  leftWords: (by: string, reason: string) => `${by === "seat" ? "The record says so" : "The house says so"}: ${reason}`,
  opening: "The house opened what was hidden",
  openingWords: "It fits what the house had fixed, and gives what the moves showed.",
  openingSeed: "The contest’s seed was told",
  openingSeedWords: "It fits the commitment. All hidden draws follow from it.",
  void: "The house voided the game",
  end: "The end",
  endWords: (result: string) => `${result}, as the rules give it.`,

  draw: (number: number, value: string, n: string) => `draw ${number}: ${value} of ${n}`,
  recordSays: "the record says",
  mustBe: "rules and evidence give",
};

/** What happened in each game. */
export const play = {
  fate: {
    dealt: (by: string) => `The dice were dealt, ${by}`,
    against: "against",
    rolled: (by: string) => `The dice were rolled, ${by}`,
    higher: "The higher roll wins.",
    tie: "A tie. Both dice are gone.",
    took: (who: string) => `${who} took`,
  },
  dice: {
    first: (who: string) => `${who} chooses first`,
    took: (who: string) => `${who} took a die`,
    rolls: (who: string) => `${who} rolled`,
  },
  poker: {
    dealt: (by: string) => `The cards were dealt, ${by}`,
    exchanged: (by: string) => `The new cards were dealt, ${by}`,
    order: (who: string, kept: number) => `${who} kept ${count(kept, "card")}`,
  },
  code: {
    guess: (who: string) => `${who} guessed`,
    answer: (who: string) => `${who} answered`,
    marks: (full: number, partial: number) => `${full} in place, ${partial} elsewhere`,
    fits: "It fits the code.",
    gaveUp: (who: string) => `${who} gave up`,
    shows: (who: string) => `${who} showed the code`,
    none: (who: string) => `${who} had no code`,
    fitsAll: "It fits every answer.",
  },
  zombie: {
    order: "The order of turns was drawn",
    orderWords: (names: readonly string[]) => `${listed(names)}.`,
    rolled: (who: string) => `${who} rolled the dice`,
    shot: "Three shotguns: the turn is lost.",
    decided: { roll: "rolls", hold: "holds", pass: "passes" } as { [move: string]: string },
    decides: (who: string, verb: string) => `${who} ${verb}`,
    scores: (scores: string) => `Brains: ${scores}.`,
  },
};

/** How a computation reads. */
export function formula(working: Working): string {
  if (working.kind === "draw") {
    const x = BigInt("0x" + (working.bytes || "0"));
    return `${working.bytes || "no byte"} = ${x}; ${x} mod ${working.n} = ${working.value}`;
  }
  if (working.kind === "sum") {
    return `(${working.mine} + ${working.yours}) mod ${working.n} = ${working.value}`;
  }
  const parts = working.parts.map(([called, part]) => called.startsWith("tag") ? `"${part}"` : called);
  return `${working.how}(${parts.join(", ")})`;
}
export const gives = "gives";

export const contest = {
  about: (contest: string) => `contest ${contest}`,
  games: (games: number, played: number) =>
    `${count(games, "game")} for each entry, ${played.toLocaleString("en")} played, all run again`,
  standings: "Standings, computed again",
  columns: ["", "Team", "Solved", "Mean", "95 %", "Worst"],
  training: "training",
  none: "–",
  pairs: "Who is better than whom",
};

export const session = {
  about: (hands: number) => `a session of ${count(hands, "hand")} with the Blind Croupier`,
  not: "What the Bank made of it, only the Bank can say.",
};

export const without = {
  heading: "Without us, and without this page",
  lead: "Any line, with the tool that came with your machine:",
  openssl: (
    line: number,
    file: string,
  ) => [`sed -n ${line}p ${file} | openssl dgst -sha3-256`, `# what line ${line + 1} names as "prev"`],
  python: (file: string) => [`fairground verify ${file}`, "# the same verdict, from other code"],
  node: (file: string) => [`node check.mjs ${file}`, "# this page’s checker, without a browser"],
  agree:
    "Our two checkers share no line of code, and must agree on every record. Do they disagree on a game of yours? Then one of them is wrong, and we want to know.",
};

export const foot = {
  nothing: "Nothing on this page is sent anywhere: its own policy forbids every request.",
  save: "Save this page",
  genuine: "Is this copy genuine? A file cannot hold its own hash. So compare it with",
  genuineTool: "sha256sum verify.html",
  genuineAnd: "and what",
  genuineCommand: "fairground verify --page",
  genuineEnd: "prints, what the foot of the arena’s page says, and what the changelog says.",
};
