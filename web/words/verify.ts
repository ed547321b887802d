/** English of the page that checks files. */
import { listed, told } from "../words.ts";

export const verify = {
  title: "Check it yourself",
  headline: "Check it yourself.",
  lead:
    "This page plays the game again on your machine: every hash, link, seal and roll, with its own code and none of the arena’s.",
  about: (result: string, game: string, dealer: string, names: readonly string[]) =>
    `${result} ${told(game)}, dealt by ${told(dealer)}: ${listed(names.map(told))}.`.trim(),
  receiptsHint: "Did you keep receipts? Choose the .receipts file together with the transcript.",
  noRecord: "This file is no record of a game. A record is a .jsonl file that an arena or “Save the game” has written.",
  noReceipts: "The record can be read, but the receipts beside it cannot.",
  checking: (lines: number) => `This browser plays it again: line ${lines.toLocaleString("en")} …`,
  tooLong: "This record is too long to draw a table for each of its lines. All of them were checked.",
  aloneText: "verify.html is one file. Save it, pull the plug, and it still works.",
  save: "Open verify.html",
  without: "Without us, and without this page",
  withoutLead: "Any line, with the tool that came with your machine:",
};
