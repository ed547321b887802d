/** A decision of a game that is over, asked once more: the coach says what each move is worth. */
import { useState } from "preact/hooks";
import { arena, Problem } from "../arena/api.ts";
import { note, type Position } from "../arena/learning.ts";
import type { Told } from "../arena/record.ts";
import type { Json } from "../check/json.ts";
import type { Moment } from "../games/game.ts";
import { pageFor } from "../games/index.ts";
import { say } from "../parts/Say.tsx";
import { told as shown } from "../words.ts";
import { r } from "../words/review.ts";
import { momentAt } from "./moments.ts";

/** A number of the coach: exact as a fraction where it is known so. */
export interface Figure {
  exact: string | null;
  value: number;
}

export interface Alternative {
  move: Json;
  says: string;
  value: Figure;
  cost: Figure;
  mix: Figure | null;
}

/** How the values of one seat are written: in the game's unit, and a breaker's guesses are counted, not owed. */
export interface Scale {
  unit: { name: string; many: string; scale: number };
  seat: number;
}

const counted = ({ unit, seat }: Scale) => unit.name === "guesses" && seat === 1 ? -1 : 1;
const digits = ({ unit }: Scale) => unit.scale > 1 ? 1 : unit.name === "bets" ? 3 : 2;
export const scaled = (scale: Scale, { value }: Figure) => value * scale.unit.scale * counted(scale);
/** A code that is not found is no number of guesses: it stands for the whole game. */
export const isGame = ({ unit }: Scale, value: number) => unit.name === "guesses" && Math.abs(value) > 500_000;
export const plain = (scale: Scale, figure: Figure) =>
  isGame(scale, figure.value) ? r.notFound : scaled(scale, figure).toFixed(digits(scale)).replace("-", "−");
export function signed(scale: Scale, figure: Figure): string {
  if (isGame(scale, figure.value)) return r.game;
  const value = scaled(scale, figure);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits(scale))}`;
}
export const less = (figure: Figure): Figure => ({ ...figure, value: -figure.value });

/** What each move is worth, the best first. */
export function Worths({ scale, moves }: { scale: Scale; moves: readonly Alternative[] }) {
  return (
    <ul class="alternatives">
      {moves.slice(0, 6).map(({ says, value, cost }) => (
        <li key={says}>
          <span>{shown(says)}</span>
          <span class="number">{plain(scale, value)}</span>
          <span class="small mute">{cost.value ? signed(scale, less(cost)) : r.best}</span>
        </li>
      ))}
    </ul>
  );
}

interface Tried {
  unit: Scale["unit"];
  right: boolean;
  words: string;
  alternatives: Alternative[];
}

/** The table as it was when a seat had to decide what stands in a line. */
function momentBefore(
  told: Told,
  line: number,
  seat: number,
  again: Pick<Moment, "play" | "asked" | "question">,
): Moment {
  let last = line - 1; // what is chosen together is chosen before any of it is sealed
  while (last > 1 && ["seal", "open", "note"].includes(told.lines[last - 1].event.kind as string)) last--;
  const then = { ...told, lines: told.lines.slice(0, last), over: false, payoff: null };
  return { ...momentAt(then, last, null, false), me: seat, live: true, practice: true, ...again };
}

/** Asks for the move, and says what it was worth. */
export function Try({ told, place, children }: {
  told: Told;
  place: Omit<Position, "streak">;
  children?: preact.ComponentChildren;
}) {
  const { table, line, seat } = place;
  const [tried, setTried] = useState<Tried | null>(null);
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState("");
  const play = async (move: Json) => {
    setProblem("");
    try {
      const found = await arena.tryAgain<Tried>(table, line, seat, move);
      await note(place, found.right);
      setTried(found);
      say(shown(found.words));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
    }
  };
  const { Table } = pageFor(told.game);
  return (
    <section class="trying stack" aria-label={r.practise.what} data-tried={tried ? String(tried.right) : undefined}>
      <p class="sentence">{r.practise.what}</p>
      <Table
        {...momentBefore(told, line, seat, {
          play: (move) =>
            void play(move),
          asked: !tried,
          question: String(round),
        })}
        key={round}
      />
      {problem && <p class="notice bad" role="alert">{shown(problem)}</p>}
      {tried && (
        <>
          <p class={tried.right ? "notice good" : "notice"}>{shown(tried.words)}</p>
          <Worths scale={{ unit: tried.unit, seat }} moves={tried.alternatives} />
        </>
      )}
      <div class="acts">
        {tried && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              setTried(null);
              setRound(round + 1);
            }}
          >
            {r.practise.once}
          </button>
        )}
        {children}
      </div>
    </section>
  );
}
