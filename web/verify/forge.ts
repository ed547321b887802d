/** Forgeries on demand, to see that they are noticed: one value changed, and all later hashes made anew or not. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { fromText, join, toHex } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import { readRecord } from "../check/chain.ts";
import { isInteger, type Json, type JsonObject, object } from "../check/json.ts";

export interface Forgery {
  bytes: Uint8Array;
  line: number;
  what: "draw" | "move" | "payoff";
  /** Which draw of the line, from 1. */
  place: number;
  from: string;
  to: string;
  better: boolean;
}

interface Change {
  index: number;
  event: JsonObject;
  what: Forgery["what"];
  place: number;
  from: number;
  to: number;
}

/** Another number below n, with as many digits if there is one. */
function other(value: number, n: number): number {
  const up = value + 1 < n;
  return up && (`${value + 1}`.length === `${value}`.length || value === 0)
    ? value + 1
    : value > 0
    ? value - 1
    : value + 1;
}

function changedDraw(event: JsonObject, index: number): Change | null {
  if (event.kind !== "dealt" || !Array.isArray(event.draws)) return null;
  for (const [i, draw] of event.draws.entries()) {
    const [n, value] = draw as Json[];
    if (!isInteger(n) || !isInteger(value) || n < 2) continue;
    const to = other(value, n);
    const draws = event.draws.map((old, j) => i === j ? [n, to] : old);
    return { index, event: object({ ...event, draws }), what: "draw", place: i + 1, from: value, to };
  }
  return null;
}

/** A keeper's answer. The code that it shows in the end cannot fit another one. */
function changedAnswer(event: JsonObject, index: number): Change | null {
  const { move } = event;
  if (event.kind !== "move" || event.seat !== 0 || !Array.isArray(move) || !isInteger(move[1])) return null;
  const to = move[1] > 0 ? move[1] - 1 : 1;
  return { index, event: object({ ...event, move: [move[0], to] }), what: "move", place: 2, from: move[1], to };
}

function changedPayoff(event: JsonObject, index: number): Change | null {
  const { payoff } = event;
  if (event.kind !== "end" || !Array.isArray(payoff) || !isInteger(payoff[0])) return null;
  const to = payoff[0] + 1;
  return {
    index,
    event: object({ ...event, payoff: [to, ...payoff.slice(1)] }),
    what: "payoff",
    place: 1,
    from: payoff[0],
    to,
  };
}

/** Forges a record that holds. */
export function forge(record: Uint8Array, better: boolean): Forgery | null {
  const lines = readRecord(record);
  const backwards = lines.map(({ event }, index) => ({ event, index })).reverse();
  // The last move of a keeper shows the code, if it has one, and no forfeit came before.
  const [last, ...answers] = backwards.filter(({ event }) => event.kind === "move" && event.seat === 0);
  const left = lines.some(({ event }) => event.kind === "forfeit");
  const shows = lines[0].event.game === "codebreaking/1" && !left && Array.isArray(last?.event.move);
  const ways = [
    [changedDraw, backwards],
    [changedAnswer, shows ? answers : []],
    [changedPayoff, backwards],
  ] as const;
  for (const [way, among] of ways) {
    for (const { event, index } of among) {
      const change = way(event, index);
      if (change) return made(lines.map(({ event }) => event), change, better);
    }
  }
  return null;
}

function made(events: readonly JsonObject[], change: Change, better: boolean): Forgery {
  const pieces: Uint8Array[] = [];
  let head = "";
  for (const [index, event] of events.entries()) {
    const changed = index === change.index ? change.event : event;
    const chained = better && index > change.index ? object({ ...changed, prev: head }) : changed;
    const piece = fromText(write(chained) + "\n");
    head = toHex(sha3_256(piece));
    pieces.push(piece);
  }
  const { index, what, place, from, to } = change;
  return { bytes: join(pieces), line: index + 1, what, place, from: `${from}`, to: `${to}`, better };
}
