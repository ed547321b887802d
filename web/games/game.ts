/**
 * What a game's file gives to the page. Everything else (lobby, strip, replay, verdict, seat) is the same for all games.
 * A game without a file of its own is drawn by `generic`.
 */
import type { ComponentType } from "preact";
import type { Hint, SeatView } from "../arena/api.ts";
import type { Told } from "../arena/record.ts";
import type { Json, JsonObject } from "../check/json.ts";
import type { People } from "../words.ts";

/** A moment of a game: what a table is drawn from. The same live, in replay and in a file. */
export interface Moment<V = unknown> extends People {
  /** What lies on the table, as `web/check` works it out from the record. */
  view: V;
  told: Told;
  /** The line behind which this is. */
  line: number;
  /** Seats whose move of this turn is sealed. */
  sealed: readonly number[];
  /** The move that this browser has sealed and not yet shown. */
  ownSealed: Json | undefined;
  /** Is this how it stands now, and not a moment of the past? */
  live: boolean;
  /** Is a decision of a game that is over asked once more? Then nothing is sent to a table. */
  practice?: boolean;
  /** A move of mine is wanted, now. */
  asked: boolean;
  /** The question that is asked, or was asked last. What is chosen belongs to it: see `useChoice`. */
  question: string;
  /** Answers this question with a move. Nothing is sent if another question is asked by now. */
  play: (move: Json) => void;
  hint: Hint | null;
  /** Asks for a hint; `null` where there is none to ask for. */
  advise: (() => void) | null;
  /** What the arena says of the seat: only for games whose rules are not known here. */
  seatView: SeatView | null;
}

/** A game with one click: who sits across, and what is not as usual. */
export interface Quick {
  words: string;
  player: string;
  params?: JsonObject;
  /** Our seat; by default the last. */
  seat?: number;
}

export interface GamePage<V = unknown> {
  /** The games that it draws, by their names in records. The first is the one that is opened. */
  names: readonly string[];
  pitch: string;
  facts: string;
  Picture: ComponentType;
  /** The class of the picture's ground. */
  art: string;
  /** Opponents that fit best, best first. */
  rivals: readonly string[];
  /** What the lobby offers with one click, instead of the rivals. */
  quick?: readonly Quick[];
  /** The table: felt, hands, choices. */
  Table: ComponentType<Moment<V>>;
  /** What stands below the table: odds and the like. */
  Below?: ComponentType<Moment<V>>;
  /** A tag beside the title, such as the round. */
  tag?: (moment: Moment<V>) => string;
  /** One sentence: how it stands, and what is to be done. Said aloud when it changes, and on `S`. */
  state: (moment: Moment<V>) => string;
  /** How it ended, where that is not said by who has won. Empty: by who has won. */
  result?: (moment: Moment<V>) => string;
  /** What a move or a draw is called on the strip; `null`: as in any game. */
  tell: (event: JsonObject, moment: Moment<V>) => string | null;
}

/** The seats whose moves of the present turn are sealed behind a line. */
export function sealedAt(told: Told, line: number): number[] {
  const sealed: number[] = [];
  for (let i = line - 1; i >= 0; i--) {
    const { kind, seat } = told.lines[i].event;
    if (kind === "seal") sealed.push(seat as number);
    else if (kind !== "note" && kind !== "forfeit") break;
  }
  return sealed;
}
