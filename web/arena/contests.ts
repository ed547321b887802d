/** Contests and their oracles: the routes, and what this browser keeps of its own entries. */
import { call } from "./api.ts";
import { keepThing, random, thing } from "./secrets.ts";

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

export interface Standings {
  contest: string;
  final: boolean;
  games: number;
  official: Standing[];
  training: Standing[];
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

const at = (id: string) => `/contest/${encodeURIComponent(id)}`;
/** The path of an address on this arena: the page may ask nobody else. */
export const pathOf = (url: string) => new URL(url, location.origin).pathname;

export const contests = {
  get: (id: string) => call<Contest>("GET", at(id)),
  standings: (id: string) => call<Standings>("GET", `${at(id)}/standings`),
  file: async (id: string) => new Uint8Array(await (await fetch(`${at(id)}/file`)).arrayBuffer()),
};

/** Opens a contest. The address that closes it early is kept in this browser, and shown to nobody else. */
export async function openContest(parts: object[], closesIn: number): Promise<string> {
  const wanted = parts.map((part, i) => i ? part : { ...part, closes_in: closesIn });
  const made = await call<{ self: string; close: string }>("POST", "/contests", wanted);
  const id = pathOf(made.self).split("/")[2];
  await keepThing(`close/${id}`, pathOf(made.close));
  return id;
}

export const closingOf = async (id: string) => (await thing(`close/${id}`)) as string | undefined;
export const closeContest = (path: string) => call<unknown>("POST", path);

export const entryOf = async (id: string) => (await thing(`entry/${id}`)) as Entry | undefined;

/** Enters by hand. The team's key is kept before it is sent: nobody else can enter in this team's name. */
export async function enterByHand(id: string, team: string): Promise<Entry> {
  const name = `team-key/${id}/${team}`;
  const key = (await thing(name) as string | undefined) ?? random(16);
  await keepThing(name, key);
  const body = { team_name: team, software_version: "by hand", team_key: key };
  const made = await call<{ oracle_URIs: string[]; training: boolean }>("POST", `${at(id)}/entry`, body);
  const entry = { team, oracles: made.oracle_URIs.map(pathOf), training: made.training };
  await keepThing(`entry/${id}`, entry);
  return entry;
}
