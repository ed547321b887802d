/** The standings of a contest: exact fractions, 12 digits behind the point. */
import { type Json, type JsonObject, object } from "./json.ts";

/** One entry, and its games by slot → game. */
export interface Entry {
  entry: number;
  team: string;
  version: string;
  training: boolean;
  /** Game number → steps, for those that were solved. */
  solved: Map<number, number>;
  givenUp: number;
  /** Relayed games that wait for a factory. */
  waiting: Set<number>;
  trouble: string | null;
  /** Why the creator took it out, if that is so. */
  removed: string | null;
}

/** What the standings are made of. */
export interface Contest {
  disguised: boolean;
  contest: string;
  /** Game → its part. Games of one part hold the same object. */
  games: readonly JsonObject[];
  relayed: ReadonlySet<number>;
  entries: readonly Entry[];
}

const SCALE = 10n ** 60n;
const DIGITS = 10n ** 12n;
const TABLE = [
  "12.706205 4.302653 3.182446 2.776445 2.570582 2.446912 2.364624 2.306004 2.262157 2.228139",
  "2.200985 2.178813 2.160369 2.144787 2.131450 2.119905 2.109816 2.100922 2.093024 2.085963",
  "2.079614 2.073873 2.068658 2.063899 2.059539 2.055529 2.051831 2.048407 2.045230 2.042272",
].join(" ").split(" ");

/** A fraction as text, rounded half to even. */
export function fraction(above: bigint, below: bigint): string {
  const sign = above < 0n ? "-" : "";
  const size = (above < 0n ? -above : above) * DIGITS;
  let whole = size / below;
  const twice = 2n * (size % below);
  if (twice > below || (twice === below && whole % 2n === 1n)) whole++;
  return `${whole ? sign : ""}${whole / DIGITS}.${(whole % DIGITS).toString().padStart(12, "0")}`;
}

function root(value: bigint): bigint {
  if (value < 2n) return value;
  let x = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + value / x) / 2n;
    if (y >= x) return x;
    x = y;
  }
}

/** Student's t, times the scale. */
function student(v: number): bigint {
  if (v <= TABLE.length) return BigInt(TABLE[v - 1].replace(".", "")) * SCALE / 1_000_000n;
  const z = 1_959963984540054n * SCALE / 10n ** 15n;
  const power = (n: number): bigint => n === 1 ? z : power(n - 1) * z / SCALE;
  const [w, z3, z5, z7] = [BigInt(v), power(3), power(5), power(7)];
  return z + (z3 + z) / (4n * w) + (5n * z5 + 16n * z3 + 3n * z) / (96n * w * w) +
    (3n * z7 + 19n * z5 + 17n * z3 - 15n * z) / (384n * w * w * w);
}

/** Mean and its interval; steps are at least 1. */
export function interval(values: readonly number[], least?: bigint): { mean: Json; low: Json; high: Json } {
  const n = BigInt(values.length);
  if (!n) return { mean: null, low: null, high: null };
  const sum = values.reduce((total, value) => total + BigInt(value), 0n);
  const mean = fraction(sum, n);
  if (n === 1n) return { mean, low: null, high: null };
  // n² times the sum of squared deviations, over n: all integers.
  const spread = values.reduce((total, value) => total + (n * BigInt(value) - sum) ** 2n, 0n);
  const variance = spread * SCALE * SCALE / (n * n * (n - 1n) * n);
  const half = student(values.length - 1) * root(variance) / SCALE;
  const middle = sum * SCALE / n;
  const bound = least === undefined ? middle - half : least * SCALE;
  const low = middle - half < bound ? bound : middle - half;
  return { mean, low: fraction(low, SCALE), high: fraction(middle + half, SCALE) };
}

type Fraction = [bigint, bigint];

/** The share of all patterns of signs whose sum is at least as far from zero. */
export function signFlip(all: readonly number[]): Fraction {
  let list = all.filter((value) => value !== 0).map(Math.abs);
  let seen = Math.abs(all.reduce((a, b) => a + b, 0));
  if (list.reduce((a, b) => a + b, 0) * (list.length + 1) > 2 ** 23) {
    list = list.map(() => 1);
    seen = Math.abs(all.reduce((a, b) => a + Math.sign(b), 0));
  }
  if (seen === 0) return [1n, 1n];
  let counts = new Map<number, bigint>([[0, 1n]]);
  for (const value of list) {
    const next = new Map<number, bigint>();
    for (const [sum, count] of counts) {
      for (const one of [sum + value, sum - value]) next.set(one, (next.get(one) ?? 0n) + count);
    }
    counts = next;
  }
  let far = 0n;
  for (const [sum, count] of counts) if (Math.abs(sum) >= seen) far += count;
  return [far, 1n << BigInt(list.length)];
}

const less = (a: Fraction, b: Fraction): boolean => a[0] * b[1] < b[0] * a[1];

/** A text as Python's repr has it. */
export function repr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + text.replaceAll("\\", "\\\\").replaceAll(quote, "\\" + quote) + quote;
}

const called = (entry: Entry): string => repr(`${entry.team} ${entry.version}`);

function row(entry: Entry, games: number): { [name: string]: Json } {
  const steps = [...entry.solved.values()];
  const counts = new Map<number, number>();
  for (const count of steps) counts.set(count, (counts.get(count) ?? 0) + 1);
  return {
    entry: entry.entry,
    team_name: entry.team,
    software_version: entry.version,
    training: entry.training,
    games,
    solved: steps.length,
    given_up: entry.givenUp,
    unfinished: games - steps.length,
    still_open: 0,
    waiting: entry.waiting.size,
    trouble: entry.trouble,
    steps: steps.reduce((a, b) => a + b, 0),
    ...interval(steps, 1n),
    worst: steps.length ? Math.max(...steps) : null,
    counts: [...counts].sort(([a], [b]) => a - b),
  };
}

/** Below zero: a is better. */
function compare(a: Entry, b: Entry): number {
  const [n, m] = [a.solved.size, b.solved.size];
  if (n !== m) return m - n;
  const sum = (entry: Entry) => [...entry.solved.values()].reduce((x, y) => x + y, 0);
  return sum(a) - sum(b);
}

interface Pair {
  a: Entry;
  b: Entry;
  steps: number[];
  solving: number[];
  pSteps: Fraction;
  pSolving: Fraction;
  p: Fraction;
  told: boolean;
}

function pairOf(a: Entry, b: Entry, games: readonly number[]): Pair {
  const both = games.filter((game) => a.solved.has(game) && b.solved.has(game));
  const steps = both.map((game) => (a.solved.get(game) as number) - (b.solved.get(game) as number));
  const solving = games.map((game) => Number(a.solved.has(game)) - Number(b.solved.has(game)));
  const [pSteps, pSolving] = [signFlip(steps), signFlip(solving)];
  const smaller = less(pSolving, pSteps) ? pSolving : pSteps;
  const twice: Fraction = [2n * smaller[0], smaller[1]];
  return { a, b, steps, solving, pSteps, pSolving, p: less([1n, 1n], twice) ? [1n, 1n] : twice, told: false };
}

function pairRow(pair: Pair): JsonObject {
  const { a, b, steps, solving, pSteps, pSolving, told } = pair;
  const bySteps = !less(pSolving, pSteps);
  const lead = bySteps ? -steps.reduce((x, y) => x + y, 0) : solving.reduce((x, y) => x + y, 0);
  const better = !told || lead === 0 ? null : lead > 0 ? a : b;
  const says = better
    ? `${called(better)} is better than ${called(better === a ? b : a)}, ${bySteps ? "by steps" : "by games solved"}`
    : `${called(a)} and ${called(b)} are too close to call`;
  return object({
    a: a.entry,
    b: b.entry,
    both_solved: steps.length,
    only_a_solved: solving.filter((one) => one > 0).length,
    only_b_solved: solving.filter((one) => one < 0).length,
    difference: object(interval(steps)),
    p_steps: fraction(...pSteps),
    p_solving: fraction(...pSolving),
    separable: better !== null,
    better: better ? better.entry : null,
    says,
  });
}

const NOTES = [
  "Teams met the same codes, equal up to a disguise of digits and places drawn for each entry and game.",
  "Only official entries rank; training entries are shown apart. More games solved ranks first, then the smaller " +
  "mean. Unfinished games have no steps.",
  "Intervals are 95 %, Student's. Pairs: exact sign-flip test, Holm's method at 5 %.",
];
const UNDISGUISED =
  "Teams met the same codes in the same digits and places: there is no disguise. Who has met a code can tell it to " +
  "another team, or enter again under another name. So ranks are evidence only among teams that did neither.";
const PARTS =
  "Parts and factories: steps of all official entries together, in the games that they solved. Factories rank by the " +
  "larger mean. Intervals take all these games as independent.";
const relayedNote = (count: number): string =>
  `${count} games are relayed to oracle factories elsewhere, a code of its own for each entry. They are unproven: ` +
  "their answers are the factories' word. They count for the rank, and not for the comparison of pairs. A game whose " +
  "factory failed until the end is unfinished.";

/** What these games took these entries. */
function forced(entries: readonly Entry[], games: readonly number[]) {
  const steps = entries.flatMap((entry) => games.flatMap((game) => entry.solved.get(game) ?? []));
  return {
    solved: steps.length,
    unfinished: games.length * entries.length - steps.length,
    still_open: 0,
    waiting: entries.reduce((sum, entry) => sum + games.filter((game) => entry.waiting.has(game)).length, 0),
    steps: steps.reduce((a, b) => a + b, 0),
    ...interval(steps, 1n),
    worst: steps.length ? Math.max(...steps) : null,
  };
}

/** The games of a contest by what they have in common. */
function grouped<K>(games: readonly JsonObject[], key: (part: JsonObject) => K): [K, number[]][] {
  const found = new Map<K, number[]>();
  for (const [game, part] of games.entries()) found.set(key(part), [...(found.get(key(part)) ?? []), game]);
  return [...found];
}

function partRows(games: readonly JsonObject[], official: readonly Entry[]): JsonObject[] {
  return grouped(games, (part) => part).map(([part, numbers], index) =>
    object({
      part: index,
      base: part.base,
      length: part.length,
      oracle_type: part.oracle,
      oraclefactory: part.factory ?? null,
      games: numbers.length,
      ...forced(official, numbers),
      teams: official.map((entry) => object({ entry: entry.entry, ...forced([entry], numbers) })),
    })
  );
}

function factoryRows(games: readonly JsonObject[], official: readonly Entry[]): JsonObject[] {
  const kept = grouped(games, (part) => part.factory ?? null);
  if (kept.every(([factory]) => factory === null)) return [];
  const rows = kept.map(([factory, numbers]) => ({
    oraclefactory: factory,
    games: numbers.length,
    ...forced(official, numbers),
  }));
  /** Above zero: b forced more. */
  const compared = (a: typeof rows[number], b: typeof rows[number]) =>
    b.steps * (a.solved || 1) - a.steps * (b.solved || 1);
  rows.sort(compared);
  const ranks: Json[] = [];
  for (const [place, one] of rows.entries()) {
    const level = place > 0 && compared(rows[place - 1], one) === 0;
    ranks.push(one.solved ? (level ? ranks[place - 1] : place + 1) : null);
  }
  return rows.map((one, place) => object({ rank: ranks[place], ...one }));
}

/** The standings without `kind` and `book`. */
export function standings({ disguised, contest, games: partOf, relayed, entries }: Contest) {
  const games = partOf.length;
  const present = entries.filter((entry) => entry.removed === null);
  const official = present.filter((entry) => !entry.training).sort((a, b) => compare(a, b) || a.entry - b.entry);
  const rows: JsonObject[] = [];
  for (const [index, entry] of official.entries()) {
    const same = index > 0 && compare(official[index - 1], entry) === 0;
    rows.push(object({ rank: same ? rows[index - 1].rank : index + 1, ...row(entry, games) }));
  }
  const ours = Array.from({ length: games }, (_, game) => game).filter((game) => !relayed.has(game));
  const pairs: Pair[] = [];
  const add = (a: Entry, b: Entry) => pairs.push(pairOf(a, b, ours));
  if (official.length <= 10) {
    for (const [i, a] of official.entries()) for (const b of official.slice(i + 1)) add(a, b);
  } else {
    for (const other of official.slice(1)) add(official[0], other);
    for (let i = 2; i < official.length; i++) add(official[i - 1], official[i]);
  }
  if (!ours.length) pairs.length = 0;
  const order = [...pairs].sort((x, y) => less(x.p, y.p) ? -1 : less(y.p, x.p) ? 1 : 0);
  for (const [told, pair] of order.entries()) {
    if (pair.p[0] * BigInt(pairs.length - told) * 20n > pair.p[1]) break;
    pair.told = true;
  }
  const codes = disguised ? NOTES[0] : UNDISGUISED;
  const notes = [
    ...(ours.length ? [codes] : []),
    ...NOTES.slice(1),
    ...(relayed.size ? [relayedNote(relayed.size)] : []),
    PARTS,
  ];
  const removed = entries.filter((entry) => entry.removed !== null).map((entry) =>
    object({
      entry: entry.entry,
      team_name: entry.team,
      software_version: entry.version,
      reason: entry.removed,
    })
  );
  return object({
    contest,
    final: true,
    games,
    official: rows,
    training: present.filter((entry) => entry.training).map((entry) => object(row(entry, games))),
    pairs: pairs.map(pairRow),
    notes,
    disguise: disguised ? "drawn" : "none",
    parts: partRows(partOf, official),
    factories: factoryRows(partOf, official),
    removed,
  });
}
