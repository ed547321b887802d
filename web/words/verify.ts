/** English of the page that checks files. */
import { told } from "../words.ts";

export const verify = {
  title: "Check it yourself",
  headline: "Check it yourself.",
  lead:
    "This page plays the game again on your machine: every hash, link, seal and roll. Its script came from this arena.",
  about: (result: string, game: string, dealer: string) => `${result} ${told(game)}, dealt by ${told(dealer)}.`.trim(),
  receiptsHint: "Did you keep receipts? Choose the .receipts file together with the transcript.",
  noRecord: "This file is no record of a game. A record is a .jsonl file that an arena or “Save the game” has written.",
  noReceipts: "The record can be read, but the receipts beside it cannot.",
  checking: (lines: number) => `This browser plays it again: line ${lines.toLocaleString("en")} …`,
  tooLong: "This record is too long to draw a table for each of its lines. All of them were checked.",
  aloneText:
    "A script from an arena could lie for it. verify.html is one file of a known SHA-256: take it from “fairground verify --page”, or build it from the sources. It works without a network. To play without an arena’s script, use “fairground sit” or the Python client.",
  save: "Open verify.html",
  without: "Without us, and without this page",
  withoutLead: "Any line, with the tool that came with your machine:",
};
