/** Contests and their oracles: the routes, and what this browser keeps of its own entries. */
import { call, fetched } from "./api.ts";
import { changeThing, keepThing, random, thing } from "./secrets.ts";

export interface Part {
  base: number;
  length: number;
  oracle_type: string;
  games: number;
  /** Whether codes were committed, only fit the answers, or are another server's word. */
  proof: string;
  oraclefactory?: string;
}

export interface Team {
  team_name: string;
  software_version: string;
  entry: number;
  training: boolean;
  rank: number | null;
  solved: number;
  given_up: number;
  still_open: number;
  mean: string | null;
  worst: number | null;
}

export interface Standing extends Team {
  games: number;
  low: string | null;
  high: string | null;
  /** How many games took so many steps. */
  counts: [number, number][];
}

/** What some games took all official entries together. */
export interface Forced {
  oraclefactory: string | null;
  games: number;
  solved: number;
  unfinished: number;
  waiting: number;
  mean: string | null;
  low: string | null;
  high: string | null;
  worst: number | null;
}

export interface PartRow extends Forced {
  base: number;
  length: number;
  oracle_type: string;
}

export interface Removed {
  entry: number;
  team_name: string;
  software_version: string;
  reason: string;
}

export interface Standings {
  contest: string;
  final: boolean;
  games: number;
  official: Standing[];
  training: Standing[];
  parts: PartRow[];
  factories: (Forced & { rank: number | null })[];
  removed: Removed[];
}

export interface Contest {
  self: string;
  entry: string;
  games: number;
  parts: Part[];
  state: "open" | "closed";
  opened: number;
  closes: number;
  commitment: string;
  covers: string;
  gives_up?: string;
  head: string;
  lines: number;
  file?: string;
}

export interface Oracle {
  base: number;
  length: number;
  oracle_type: string;
  attempts: number;
  solved: boolean;
  over: boolean;
  /** The last answers, oldest first. */
  answers?: (Counts & { submission: number[] })[];
  /** Where it belongs to one. */
  contest?: string;
  commitment?: string;
  transcript?: string;
  reveal?: { code?: number[] };
}

export interface Counts {
  full_match_count: number;
  partial_match_count: number;
}

/** An entry that this browser made by hand. */
export interface Entry {
  team: string;
  oracles: string[];
  training: boolean;
}

/** Games of a contest that this browser has seen to their end: in how many steps; 0: given up. */
export type Done = { [oracle: string]: number };

export const doneIn = async (contest: string) => (await thing(`done/${contest}`) ?? {}) as Done;
export const keepDone = (contest: string, oracle: string, steps: number) =>
  changeThing(`done/${contest}`, (done) => ({ ...done as Done, [oracle]: steps }));

/** The identity in the address of an oracle, and of a contest. */
export const oracleOf = (path: string) => path.split("/")[2];

const at = (id: string) => `/contest/${encodeURIComponent(id)}`;
/** The path of an address on this arena: the page may ask nobody else. */
export const pathOf = (url: string) => new URL(url, location.origin).pathname;

export const contests = {
  get: (id: string) => call<Contest>("GET", at(id)),
  file: (id: string) => fetched(`${at(id)}/file`),
};

/** Opens a contest. The address that closes it early is kept in this browser, and shown to nobody else. */
export async function openContest(parts: object[], closesIn: number, disguise = "drawn"): Promise<string> {
  const wanted = parts.map((part, i) => i ? part : { ...part, closes_in: closesIn, disguise });
  const made = await call<{ self: string; close: string }>("POST", "/contests", wanted);
  const id = oracleOf(pathOf(made.self));
  await keepThing(`close/${id}`, pathOf(made.close));
  return id;
}

export const closingOf = async (id: string) => (await thing(`close/${id}`)) as string | undefined;
export const closeContest = (path: string) => call<unknown>("POST", path);

export const entryOf = async (id: string) => (await thing(`entry/${id}`)) as Entry | undefined;

/** Enters by hand. The answer has the team's key; a lost answer is asked for again, with `once`. */
export async function enterByHand(id: string, team: string): Promise<Entry> {
  const [keyName, onceName] = [`team-key/${id}/${team}`, `once/${id}/${team}`];
  const key = await thing(keyName) as string | undefined;
  const once = key ? undefined : (await thing(onceName) as string | undefined) ?? random(16);
  if (once) await keepThing(onceName, once);
  const body = { team_name: team, software_version: "by hand", team_key: key };
  const made = await call<{ oracle_URIs: string[]; training: boolean; team_key?: string }>(
    "POST",
    `${at(id)}/entry`,
    body,
    once,
  );
  if (made.team_key) await keepThing(keyName, made.team_key);
  const entry = { team, oracles: made.oracle_URIs.map(pathOf), training: made.training };
  await keepThing(`entry/${id}`, entry);
  return entry;
}
