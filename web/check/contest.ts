/** The verdict on a contest file: its book, every game, the standings. */
import { digest, fromHex, hashStream, shuffle, toHex } from "./bytes.ts";
import { write } from "./canonical.ts";
import { ALONE, type Answer, received, unanswered } from "./answers.ts";
import type { Claim } from "./claims.ts";
import { counted } from "./games/game.ts";
import { listed, quoted } from "./words.ts";
import { chained, type Line, readLine, readRecord, split } from "./chain.ts";
import { Fault } from "./fault.ts";
import {
  codePoints,
  hasJust,
  isBetween,
  isHex,
  isInteger,
  isObject,
  type Json,
  type JsonObject,
  object,
} from "./json.ts";
import { findReceipts, type Receipt } from "./receipts.ts";
import { commitmentOf } from "./schemes/contest.ts";
import { atOnce, type Slices } from "./slices.ts";
import { type Entry, standings } from "./standings.ts";
import { replay } from "./table.ts";

export interface ContestVerdict {
  ok: boolean;
  /** Who is first, in a sentence. */
  result: string | null;
  answers: Answer[];
  fault: { line: number | null; code: string; reason: string } | null;
  contest: string | null;
  transcripts: number;
  claims: Claim[];
  standings: JsonObject | null;
}

const FORMAT = "fairground-contest/2";
const MOST = Number.MAX_SAFE_INTEGER;

interface Game {
  part: JsonObject;
  relayed: boolean;
}

interface Finished {
  result: string;
  steps: number;
  head: string;
  /** The line of the book that says so. */
  line: number;
}

interface Book {
  /** Whether digits and places are relabelled for each entry and game. */
  disguised: boolean;
  contest: string;
  commitment: string;
  games: Game[];
  seed: string;
  entries: (Entry & {
    hash: string;
    over: boolean;
    started: boolean;
    finished: Map<number, Finished>;
    waits: Map<number, string>;
    failed: Set<number>;
  })[];
  filed: JsonObject;
  head: string;
}

class Reader {
  private at = 0;
  constructor(private readonly pieces: readonly Uint8Array[]) {}

  get line(): number {
    return this.at + 1;
  }

  get rest(): number {
    return this.pieces.length - this.at;
  }

  bad(reason: string, line = this.line): Fault {
    return new Fault("contest/malformed", reason, line);
  }

  peek(): JsonObject {
    if (!this.rest) throw this.bad("the file stops early", this.at);
    const found = readLine(this.pieces[this.at]);
    if (!found) throw new Fault("transcript/not-canonical", "not JSON in canonical form", this.line);
    return found.event;
  }

  /** A heading with just these members, and the lines that it counts. */
  section(names: string[]): { heading: JsonObject; line: number; pieces: Uint8Array[] } {
    const heading = this.peek();
    const { lines } = heading;
    const line = this.line;
    const good = hasJust(heading, names) && isTyped(heading) && isBetween(lines, 1, this.rest - 1);
    if (!good) throw this.bad("a heading", line);
    const count = lines as number;
    const pieces = this.pieces.slice(this.at + 1, this.at + 1 + count);
    this.at += 1 + count;
    return { heading, line, pieces };
  }
}

/** Faults of a part of the file, with the lines of the whole. */
function shifted<T>(by: number, code: string | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(code ?? error.code, error.reason, (error.line ?? 1) + by);
  }
}

const isText = (value: Json, most: number): value is string =>
  typeof value === "string" && codePoints(value) >= 1 && codePoints(value) <= most;

function isName(value: Json): value is string {
  return isText(value, 20) && !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(value) &&
    !/\p{Zs}/u.test(value.replaceAll(" ", "")) && value.trim() === value;
}

function readParts(value: Json): Game[] | null {
  if (!Array.isArray(value) || value.length < 1 || value.length > 100) return null;
  const games: Game[] = [];
  for (const part of value) {
    if (!isObject(part)) return null;
    const names = ["base", "length", "oracle", "games", ...("factory" in part ? ["factory"] : [])];
    const factory = part.factory ?? null;
    const good = hasJust(part, names) && isBetween(part.base, 2, 100) && isBetween(part.length, 1, 40) &&
      ["fair", "nice", "evil"].includes(part.oracle as string) && isBetween(part.games, 1, 10_000) &&
      (factory === null || isText(factory, 2000));
    if (!good || games.length + (part.games as number) > 10_000) return null;
    for (let i = 0; i < (part.games as number); i++) games.push({ part, relayed: factory !== null });
  }
  return games;
}

const MEMBERS: { [kind: string]: string[] } = {
  opened: ["format", "contest", "parts", "commitment", "at", "closes", "disguise"],
  entered: ["entry", "team", "version", "training", "at"],
  finished: ["entry", "slot", "result", "steps", "head", "at"],
  failed: ["entry", "slot", "reason", "at"],
  recovered: ["entry", "slot", "at"],
  closed: ["seed", "by", "at"],
  filed: ["games", "digest"],
  started: ["entry", "at"],
  removed: ["entry", "reason", "at"],
};

const INTEGERS = ["at", "closes", "entry", "slot", "steps", "games", "lines"];

/** Whether each member of a heading, or of a line of the book, has its one type. */
function isTyped(event: JsonObject): boolean {
  return Object.entries(event).every(([name, value]) => {
    if (INTEGERS.includes(name)) return isInteger(value);
    if (name === "training") return typeof value === "boolean";
    return name === "parts" ? Array.isArray(value) : typeof value === "string";
  });
}

function readBook(lines: readonly Line[], heading: JsonObject): Book {
  let book: Book | null = null;
  let closes = 0;
  let now = 0;
  let stage: "open" | "closed" | "filed" = "open";
  for (const [index, { event, hash }] of lines.entries()) {
    const line = index + 1;
    const need = (good: boolean, code: string, reason: string): void => {
      if (!good) throw new Fault(code, reason, line);
    };
    const kind = event.kind as string;
    const known = typeof kind === "string" && Object.hasOwn(MEMBERS, kind);
    const members = hasJust(event, ["kind", "prev", ...(known ? MEMBERS[kind] : [])]);
    need(known && members && isTyped(event), "contest/malformed", "members, or their types");
    need((kind === "opened") === (index === 0), "contest/malformed", "opened is the first line, and only there");
    if (kind === "opened") {
      const games = readParts(event.parts);
      const { contest, commitment, at } = event;
      const good = event.format === FORMAT && ["drawn", "none"].includes(event.disguise as string) &&
        isText(contest, MOST) && isHex(commitment) && isBetween(at, 0, MOST) &&
        isBetween(event.closes, at + 1, MOST) && games;
      need(Boolean(good), "contest/malformed", "how it was opened");
      [now, closes] = [at as number, event.closes as number];
      book = {
        disguised: event.disguise === "drawn",
        contest: contest as string,
        commitment: commitment as string,
        games: games as Game[],
        seed: "",
        entries: [],
        filed: event,
        head: "",
      };
      continue;
    }
    const b = book as Book;
    if (kind === "filed") {
      need(stage === "closed", "contest/late", "filed is right behind closed");
      need(isHex(event.digest), "contest/malformed", "what was filed");
      [stage, b.filed, b.head] = ["filed", event, hash];
      continue;
    }
    need(stage === "open", "contest/late", "a line behind the close");
    const at = event.at as number;
    need(at >= now, "contest/time", "the clock went back");
    now = at;
    if (kind === "closed") {
      need(["time", "creator", "restore"].includes(event.by as string), "contest/time", "how it closed");
      need(event.by !== "time" || now >= closes, "contest/time", "too early");
      const fits = isHex(event.seed) && commitmentOf(b.contest, event.seed) === b.commitment;
      need(fits, "fair/bad-evidence", "another seed");
      [stage, b.seed] = ["closed", event.seed as string];
      continue;
    }
    need(now < closes, "contest/late", "after the close");
    if (kind === "entered") {
      const { entry, team, version, training } = event;
      const before = b.entries.filter((other) => other.team === team && other.removed === null);
      need(entry === b.entries.length && isName(team) && isName(version), "contest/entry", "an entry");
      need(!before.some((other) => other.version === version), "contest/entry", "entered twice");
      need(training === before.length > 0, "contest/entry", "the first entry of a team is official");
      for (const other of before) if (!other.training) other.over = true;
      b.entries.push({
        entry: entry as number,
        team: team as string,
        version: version as string,
        training: training as boolean,
        solved: new Map(),
        givenUp: 0,
        waiting: new Set(),
        trouble: null,
        hash,
        removed: null,
        over: false,
        started: false,
        finished: new Map(),
        waits: new Map(),
        failed: new Set(),
      });
      continue;
    }
    const entry: Book["entries"][number] | undefined = b.entries[event.entry as number];
    if (kind === "started" || kind === "removed") {
      need(entry !== undefined && entry.removed === null && !entry.started, "contest/entry", "no such entry to change");
      const one = entry as Book["entries"][number];
      if (kind === "started") {
        need(!one.over, "contest/entry", "it is over");
        one.started = true;
      } else {
        need(isText(event.reason, 200), "contest/malformed", "a reason");
        one.removed = event.reason as string;
      }
      continue;
    }
    const slot = event.slot as number;
    need(entry !== undefined && isBetween(slot, 0, b.games.length - 1), "contest/result", "no such game");
    const e = entry as Book["entries"][number];
    need(e.removed === null && e.started, "contest/result", "it does not play");
    need(!e.over && !e.finished.has(slot), "contest/result", "it is over");
    if (kind === "finished") {
      const { result, steps, head } = event;
      const least = result === "solved" ? 1 : 0;
      const good = (result === "solved" || result === "given up") && isBetween(steps, least, MOST) && isHex(head);
      need(good, "contest/result", "a result");
      e.finished.set(slot, { result: result as string, steps: steps as number, head: head as string, line });
      e.waits.delete(slot);
    } else if (kind === "failed") {
      need(!e.waits.has(slot), "contest/result", "it waits already");
      need(isText(event.reason, 2500), "contest/malformed", "a failure");
      e.waits.set(slot, event.reason as string);
      e.failed.add(slot);
    } else {
      need(e.waits.has(slot), "contest/result", "it did not wait");
      e.waits.delete(slot);
    }
  }
  if (book?.contest !== heading.contest) throw new Fault("contest/malformed", "another contest", 0);
  if (stage !== "filed") throw new Fault("contest/unfinished", "the book stops before the end", lines.length);
  return book as Book;
}

/** Checks one game, and gives what it counts. */
function checkGame(book: Book, pieces: Uint8Array[], entryNumber: number, slot: number, gameNumber: number): Line[] {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const lines = readRecord(bytes);
  const story = replay(lines);
  const entry = book.entries[entryNumber];
  const { part, relayed } = book.games[gameNumber];
  const start = lines[0].event;
  const wanted = {
    game: "codebreaking/1",
    // Whatever a factory calls its oracles, nobody here knows their codes.
    params: object({ base: part.base, length: part.length, oracle: relayed ? "evil" : part.oracle }),
    dealer: "contest/1",
    public: object({ commitment: book.commitment, contest: book.contest, game: gameNumber }),
    seats: [
      object({ by: "house", lends: "nothing", name: relayed ? "keeper elsewhere, unproven" : "keeper" }),
      object({ by: "self", lends: "nothing", name: `${entry.team} ${entry.version}` }),
    ],
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (write(start[name]) !== write(value)) throw new Fault("contest/game", `another ${name}`, 1);
  }
  const stream = hashStream(
    digest("fairground/contest-disguise/1", book.contest, entryNumber, gameNumber, fromHex(book.seed)),
  );
  const look = (count: number): number[] =>
    book.disguised ? shuffle(count, stream) : Array.from({ length: count }, (_, i) => i);
  const digits = look(part.base as number);
  const places = look(part.length as number);
  const body: { [name: string]: Json } = {
    contest: book.contest,
    entry: entryNumber,
    slot,
    entered: entry.hash,
    digits,
    places,
  };
  if (relayed) body.factory = part.factory;
  const place = story.runs.length ? 4 : 2;
  const note = lines[place - 1]?.event;
  if (note?.kind !== "note" || write(note.body) !== write(object(body))) {
    throw new Fault("contest/disguise", "not the note that belongs here", place);
  }
  for (const [index, { event }] of lines.entries()) {
    const odd = event.kind === "note" && index !== place - 1 && !hasJust(event.body as JsonObject, ["remark"]);
    if (odd) throw new Fault("contest/disguise", "another note", index + 1);
    if (event.kind === "move" && event.move === "no code") throw new Fault("contest/lie", "no code fits", index + 1);
  }
  const last = lines.findLastIndex(({ event }) => event.kind !== "opening" && event.kind !== "end");
  const result = (good: boolean, reason: string): void => {
    if (!good) throw new Fault("contest/result", reason, last + 1);
  };
  const end = lines[last].event;
  const steps = story.decisions.filter(({ seat, line }) => seat === 0 && line !== lastShown(story.decisions)).length;
  const finished = entry.finished.get(slot);
  const left = end.kind === "forfeit";
  const answered = left ? story.decisions.filter(({ seat }) => seat === 0).length : steps;
  if (!finished) {
    result(left && end.seat === 1 && end.by === "house" && end.reason === "the contest closed", "not finished");
    return lines;
  }
  const gaveUp = relayed && end.seat === 1 && end.by === "seat" && end.reason === "given up";
  result(!left || gaveUp, "somebody left");
  const solved = write(story.payoff) === write([answered, answered ? -answered : 0]);
  result(finished.result === (solved ? "solved" : "given up"), "another result");
  result(finished.steps === answered && finished.head === lines[last].hash, "other steps, or another last line");
  if (solved) entry.solved.set(gameNumber, answered);
  else entry.givenUp++;
  return lines;
}

/** The line at which the keeper showed the code: the last move. */
function lastShown(decisions: readonly { seat: number; line: number }[]): number {
  return decisions.at(-1)?.line ?? 0;
}

function* checkAll(bytes: Uint8Array, receipts: readonly Receipt[], told: ContestVerdict): Slices<void> {
  const reader = new Reader(split(bytes));
  const first = reader.section(["contest", "format", "kind", "lines"]);
  if (first.heading.kind !== "book") throw reader.bad("the book comes first", 1);
  const sections: { heading: JsonObject; line: number; pieces: Uint8Array[] }[] = [];
  while (reader.peek().kind === "game") sections.push(reader.section(["entry", "kind", "lines", "slot"]));
  const last = reader.line;
  const shown = reader.peek();
  if (shown.kind !== "standings" || reader.rest !== 1) throw reader.bad("the standings come last");
  if (first.heading.format !== FORMAT) throw new Fault("contest/malformed", "another format", 1);
  const lines = shifted(1, null, () => chained(first.pieces));
  const book = shifted(1, null, () => readBook(lines, first.heading));
  told.contest = book.contest;

  const orders = book.entries.map(({ entry }) =>
    shuffle(
      book.games.length,
      hashStream(digest("fairground/contest-order/1", book.contest, entry, fromHex(book.seed))),
    )
  );
  const all = [...lines];
  /** Where each of them stands in the file. */
  const places = lines.map((_, index) => index + 2);
  const parts: (string | number)[] = [];
  const seen = new Set<string>();
  let before = -1;
  for (const { heading, line, pieces } of sections) {
    const { entry, slot } = heading;
    const good = isBetween(entry, 0, book.entries.length - 1) && isBetween(slot, 0, book.games.length - 1);
    const place = good ? entry * book.games.length + slot : -1;
    if (!good || place <= before) throw new Fault("contest/game", "a game that there is not, or out of order", line);
    before = place;
    if (!book.entries[entry].started) throw new Fault("contest/game", "a game of an entry that never started", line);
    const game = shifted(line, null, () => checkGame(book, pieces, entry, slot, orders[entry][slot]));
    all.push(...game);
    places.push(...game.map((_, index) => line + 1 + index));
    parts.push(entry, slot, game[game.length - 1].hash);
    seen.add(`${entry} ${slot}`);
    yield all.length;
  }
  for (const entry of book.entries) {
    for (const [slot, { line }] of entry.finished) {
      if (!seen.has(`${entry.entry} ${slot}`)) throw new Fault("contest/game", "a finished game is missing", line + 1);
    }
    const odd = [...entry.failed].some((slot) => !book.games[orders[entry.entry][slot]].relayed);
    if (odd) throw new Fault("contest/game", "a game failed that is not relayed", last);
    entry.waiting = new Set([...entry.waits.keys()].map((slot) => orders[entry.entry][slot]));
    entry.trouble = [...entry.waits.values()].at(-1) ?? null;
  }
  const filed = toHex(digest("fairground/contest-file/1", book.contest, sections.length, ...parts));
  if (book.filed.games !== sections.length || book.filed.digest !== filed) {
    throw new Fault("contest/game", "not the games that were filed", lines.length + 1);
  }
  const relayed = new Set(book.games.flatMap((game, number) => game.relayed ? [number] : []));
  const computed = standings({
    disguised: book.disguised,
    contest: book.contest,
    games: book.games.map((game) => game.part),
    relayed,
    entries: book.entries,
  });
  const wanted = object({ ...computed, kind: "standings", book: book.head });
  if (write(shown) !== write(wanted)) throw new Fault("contest/standings", "other standings", last);
  const kept = findReceipts(all, receipts);
  const receipted = [...new Set(kept.map(({ line }) => places[line - 1]))].sort((a, b) => a - b);
  told.claims = claims(book, lines.length, receipted);
  told.answers = answers(book, sections.length, receipted);
  told.result = result(computed.official as JsonObject[]);
  told.standings = computed;
  told.transcripts = sections.length;
  told.ok = true;
}

/** What the file proves, each with its condition. `kept`: the lines of receipts. */
function claims(book: Book, length: number, kept: readonly number[]): Claim[] {
  const claim = (claim: string, condition: string, result: string, lines: number[] = []): Claim => (
    { claim, seat: null, name: null, condition, result, lines, witness: null }
  );
  const relayed = book.games.filter((game) => game.relayed).length;
  const own = new Set(book.games.filter((game) => !game.relayed).map(({ part }) => part.oracle));
  const codes = own.has("fair") ? `the codes of the fair games${book.disguised ? "," : " and"} ` : "";
  const noCodes = own.has("fair") ? "" : ", and no code,";
  const drawn = book.disguised ? "every order and every disguise" : "every order";
  const verb = !book.disguised && !codes ? "follows" : "follow";
  const out = [claim(
    "COMMITTED",
    "the commitment in the book's first line was seen before anybody entered",
    `${codes}${drawn}${noCodes} ${verb} from a seed that was not chosen later ` +
      "(the house chose it, and knew it)",
    [2, length],
  )];
  if (own.has("nice") || own.has("evil")) {
    out.push(claim(
      "CONSISTENT",
      "the moves in this file are those that were made",
      "each keeper that drew no code (nice, evil) showed one that fits all its answers; a game that the close ended " +
        "showed none, and no commitment covers these codes",
    ));
  }
  if (relayed) {
    out.push(claim(
      "UNPROVEN",
      "the oracle factories elsewhere told the truth",
      `the answers in ${relayed} of ${book.games.length} games of each entry are right; this arena relayed them and ` +
        "counted the steps, which were counted again here, and a code that was found fits all answers of its game",
    ));
  }
  if (kept.length) {
    out.push(claim(
      "ORDERED",
      `the ${kept.length > 1 ? "receipts were" : "receipt was"} kept before the next answer was given`,
      "what stands before in the same chain stood there before that answer",
      [...kept],
    ));
  }
  return out;
}

function answers(book: Book, games: number, kept: readonly number[]): Answer[] {
  const fair = book.games.some(({ part, relayed }) => part.oracle === "fair" && !relayed);
  const none = { answer: null, says: "no code was drawn" };
  return [
    { question: "rules", answer: "yes", says: `all ${games} games and the standings recomputed` },
    fair
      ? { question: "fair", answer: "not shown", says: "the house alone chose the seed of every code" }
      : { question: "fair", ...none },
    fair
      ? { question: "unforeseen", answer: "not shown", says: "the house knew every code, and may have told it" }
      : { question: "unforeseen", ...none },
    kept.length
      ? { question: "untouched", answer: "yes", says: received(kept) }
      : { question: "untouched", answer: "not shown", says: "no receipts: the order is the house's word" },
    ALONE,
  ];
}

function result(official: readonly JsonObject[]): string {
  const first = official.filter(({ rank }) => rank === 1).map((row) => quoted(row.team_name as string));
  if (!first.length) return "There is no official entry.";
  const entries = counted(official.length, "official entry", "official entries");
  return first.length > 1
    ? `${listed(first)} share the first place of ${entries}.`
    : `${first[0]} is first of ${entries}.`;
}

export const checkContest = (bytes: Uint8Array, receipts: readonly Receipt[] = []): ContestVerdict =>
  atOnce(checkingContest(bytes, receipts));

export function* checkingContest(bytes: Uint8Array, receipts: readonly Receipt[]): Slices<ContestVerdict> {
  const told: ContestVerdict = {
    ok: false,
    result: null,
    answers: [],
    fault: null,
    contest: null,
    transcripts: 0,
    claims: [],
    standings: null,
  };
  try {
    yield* checkAll(bytes, receipts, told);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    told.fault = { line: error.line ?? null, code: error.code, reason: error.reason };
    told.answers = unanswered(error, "invalid");
  }
  return told;
}
