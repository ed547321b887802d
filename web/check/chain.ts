/** The lines of a file, and the chain of their hashes: steps 1 to 5 of a verdict. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { toHex } from "./bytes.ts";
import { read, utf8 } from "./canonical.ts";
import { Fault } from "./fault.ts";
import { hasJust, isObject, type JsonObject, plainJson } from "./json.ts";
import { atOnce, SLICE, type Slices } from "./slices.ts";

export const ZEROS = "0".repeat(64);

/** One line of a record. */
export interface Line {
  text: string;
  hash: string;
  event: JsonObject;
}

/** Splits at line feeds. Each piece keeps its line feed; the last may have none. */
export const split = (bytes: Uint8Array): Uint8Array[] => [...pieces(bytes)];

export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(10, from);
    const to = found < 0 ? bytes.length : found + 1;
    yield bytes.subarray(from, to);
    from = to;
  }
}

function looksLikeEvent(piece: Uint8Array): boolean {
  const text = utf8(piece);
  if (text === null) return false;
  try {
    const value = plainJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) && "kind" in value;
  } catch {
    return false;
  }
}

function looksLikeStart(piece: Uint8Array | undefined): boolean {
  if (!piece) return false;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(piece);
  return text.startsWith("{") && text.includes('"kind":"start"');
}

/** Reads one canonical line, or gives null. */
export function readLine(piece: Uint8Array): { text: string; event: JsonObject } | null {
  const text = utf8(piece);
  if (text === null || !text.endsWith("\n")) return null;
  const found = read(text.slice(0, -1));
  return found && isObject(found.value) ? { text, event: found.value } : null;
}

/** Canonical lines, each of which names the one before it. */
export const chained = (pieces: readonly Uint8Array[]): Line[] => atOnce(chaining(pieces));

function* chaining(pieces: readonly Uint8Array[]): Slices<Line[]> {
  const lines: Line[] = [];
  let head = ZEROS;
  for (const [index, piece] of pieces.entries()) {
    const line = readLine(piece);
    if (!line) throw new Fault("transcript/not-canonical", "not JSON in canonical form", index + 1);
    if (line.event.prev !== head) {
      throw new Fault("transcript/broken-chain", "the lines do not follow each other", Math.max(index, 1));
    }
    head = toHex(sha3_256(piece));
    lines.push({ ...line, hash: head });
    if (index % SLICE === 0) yield index;
  }
  return lines;
}

const MEMBERS: { [kind: string]: string[] } = {
  start: ["format", "table", "game", "params", "dealer", "public", "seats"],
  ticket: ["run", "n", "hidden", "ticket"],
  share: ["run", "seat", "share", "value"],
  dealt: ["run", "draws", "evidence"],
  move: ["seat", "move"],
  seal: ["seat", "commitment"],
  open: ["seat", "key", "move"],
  note: ["body"],
  forfeit: ["seat", "by", "reason"],
  opening: ["run", "draws", "evidence"],
  void: ["code", "reason"],
  end: ["payoff"],
};

export const readRecord = (bytes: Uint8Array): Line[] => atOnce(readingRecord(bytes));

export function* readingRecord(bytes: Uint8Array): Slices<Line[]> {
  const pieces = split(bytes);
  yield 0;
  if (!looksLikeStart(pieces[0]) && !pieces.some(looksLikeEvent)) {
    throw new Fault("input/unreadable", "this is no transcript", null);
  }
  if (pieces[0].length > 1 && pieces[0][pieces[0].length - 2] === 13 && pieces[0][pieces[0].length - 1] === 10) {
    throw new Fault("transcript/line-ends", "lines end in CR LF", 1);
  }
  const lines = yield* chaining(pieces);
  const first = lines[0].event;
  if (first.kind !== "start" || typeof first.format !== "string") {
    throw new Fault("transcript/malformed", "the first line is no start", 1);
  }
  if (first.format !== "fairground/1") throw new Fault("format/unknown", "another format", 1);
  for (const [index, { event }] of lines.entries()) {
    const members = typeof event.kind === "string" && Object.hasOwn(MEMBERS, event.kind) ? MEMBERS[event.kind] : null;
    if (!members || !hasJust(event, ["kind", "prev", ...members])) {
      throw new Fault("transcript/malformed", "an unknown kind, or other members", index + 1);
    }
    if (event.kind === "void" && (typeof event.code !== "string" || typeof event.reason !== "string")) {
      throw new Fault("transcript/malformed", "code and reason of a void are text", index + 1);
    }
    if (index % SLICE === 0) yield index;
  }
  return lines;
}
