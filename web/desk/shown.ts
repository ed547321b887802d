/** What the page shows of the Croupier's desk, and what is kept of a hand. `player` changes it. */
import { signal } from "@preact/signals";
import type { Verdict } from "../check/check.ts";
import type { Account, BankTerms } from "./bank.ts";
import type { BetFields } from "./messages.ts";

/** Something that must not happen, and who is to blame. The hand stops there. */
export class Alarm extends Error {
  constructor(readonly who: "croupier" | "bank", message: string) {
    super(message);
  }
}

/** A hand, as it is kept. */
export interface Hand {
  id: string;
  chain: number;
  bank: string;
  bet: BetFields;
  signature: string;
  seeds: [string, string];
  /** The height of the chain when it began; 0 at a ledger. */
  since: number;
  order: number[] | null;
  orderSignature: string;
}

export interface Step {
  words: string;
  /** The bytes behind it. */
  detail: string;
  checked: boolean;
}

export interface Ended {
  words: string;
  prize: number;
  verdict: Verdict | null;
  transcript: string;
}

/** A node of the user's, and how deep the Croupier's seeds must lie there before ours are told. */
export interface Node {
  url: string;
  confirmations: number;
}

export type Stage = "away" | "elsewhere" | "node" | "ready" | "working" | "choose" | "over";

/** What the page shows. */
export const stage = signal<Stage>("working");
export const account = signal<Account | null>(null);
export const terms = signal<BankTerms | null>(null);
export const address = signal("");
export const cards = signal<readonly number[]>([]);
export const steps = signal<readonly Step[]>([]);
export const ended = signal<Ended | null>(null);
export const alarm = signal<Alarm | null>(null);
export const trouble = signal("");
/** The hand that was dealt, what it was bet on, and the order, once it is given. */
export const choice = signal<{ dealt: readonly number[]; bet: number; level: number; order: number[] | null } | null>(
  null,
);
/** When the time for a choice is up, by this browser's clock, in milliseconds. */
export const deadline = signal(0);
/** The last step that the Bank took. */
export const reached = signal(0);
/** The chain that the Croupier plays on; 0 for the arena's ledger. */
export const chain = signal(0);
/** What should stay outside of the Bank for gas, in wei. */
export const upkeep = signal(0n);
/** The user's node; `null` at a ledger, and before one is named. */
export const node = signal<Node | null>(null);
