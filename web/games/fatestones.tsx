/** FateStones: two hands of odd dice, sealed picks, one roll. */
import type { FateView } from "../check/games/fatestones.ts";
import { Die, Stone, TINT } from "../look/dice.tsx";
import { FateScene } from "../look/scenes.tsx";
import { Seal } from "../look/seals.tsx";
import { useChoice } from "../parts/choice.ts";
import { useKeys } from "../parts/Keys.tsx";
import { Bar, Plate } from "../parts/Plate.tsx";
import { short, subject, w, who } from "../words.ts";
import type { GamePage, Moment } from "./game.ts";

type At = Moment<FateView>;

/** Wins, ties and losses of one die against another, of 36. */
export function duel(a: string, b: string): [number, number, number] {
  let wins = 0, ties = 0;
  for (const x of a) for (const y of b) x > y ? wins++ : x === y && ties++;
  return [wins, ties, 36 - wins - ties];
}

function Table(at: At) {
  const { view, me, asked, question, play } = at;
  const near = me ?? 1, far = 1 - near;
  const [pick, choose] = useChoice<number | null>(question, null);
  const hand = view.hands[near];
  const seal = () => asked && pick !== null && play(pick);
  useKeys(
    asked
      ? [
        ...hand.map((die, i) => ({ key: String(i + 1), does: `${w.keys.choose} ${die}`, run: () => choose(() => i) })),
        { key: "Enter", does: w.fate.sealIt, run: seal },
      ]
      : [],
  );
  const taken = (seat: number) => {
    if (view.payoff && view.last) return view.hands[seat].indexOf(view.last.dice[seat]);
    return view.chosen?.[seat] ?? (seat === me && typeof at.ownSealed === "number" ? at.ownSealed : null);
  };
  return (
    <section class="felt" aria-label={w.table.label}>
      <div class="side theirs">
        <Plate at={at} seat={far} />
        <Hand hand={view.hands[far]} picked={taken(far)} />
      </div>
      <Middle at={at} near={near} far={far} />
      <form
        class="side"
        id="choose"
        onSubmit={(event) => {
          event.preventDefault();
          seal();
        }}
      >
        <Plate at={at} seat={near} />
        {asked
          ? (
            <fieldset class="hand">
              <legend class="sr">{w.fate.chooseLegend}</legend>
              {hand.map((die, i) => (
                <label class="stone" key={i}>
                  <input type="radio" name="pick" value={i} checked={pick === i} onChange={() => choose(() => i)} />
                  <kbd>{i + 1}</kbd>
                  <span class="picked">{w.fate.chosen}</span>
                  <Stone die={die} />
                  <span class="name" aria-hidden="true">{die}</span>
                </label>
              ))}
            </fieldset>
          )
          : <Hand hand={hand} picked={taken(near)} />}
        {me !== null && at.live && !at.told.over && (
          <div class="act">
            {asked && (
              <button type="submit" class="btn go" disabled={pick === null}>
                {w.fate.sealIt} <kbd>Enter</kbd>
              </button>
            )}
            {asked && at.advise && (
              <button class="btn" type="button" onClick={at.advise}>
                {w.table.hint} <kbd>H</kbd>
              </button>
            )}
            <p class="say">{at.practice ? "" : asked ? w.fate.sealing : at.sealed.includes(near) ? w.fate.wait : ""}</p>
          </div>
        )}
      </form>
    </section>
  );
}

function Hand({ hand, picked }: { hand: readonly string[]; picked: number | null }) {
  return (
    <ul class="hand">
      {hand.map((die, i) => (
        <li class={picked === i ? "stone taken" : "stone"} key={i}>
          {picked === i && <span class="picked">{w.fate.chosen}</span>}
          <Stone die={die} />
          <span class="name" aria-hidden="true">{die}</span>
        </li>
      ))}
      {!hand.length && <li class="stone none">–</li>}
    </ul>
  );
}

/** The last roll, until the next choice is sealed; and the seals of the choice that is open now. */
function Middle({ at, near, far }: { at: At; near: number; far: number }) {
  const { view } = at;
  const rolled = view.last && !view.chosen && (view.payoff || !at.sealed.includes(near)) ? view.last : null;
  return (
    <>
      {rolled && <Rolled at={at} last={rolled} near={near} far={far} />}
      {!(rolled && view.payoff) && (
        <div class="mid">
          <SealBox at={at} seat={far} near={near} />
          <span class="vs">{w.fate.thenBoth}</span>
          <SealBox at={at} seat={near} near={near} />
        </div>
      )}
    </>
  );
}

function Rolled({ at, last, near, far }: { at: At; last: NonNullable<FateView["last"]>; near: number; far: number }) {
  const { dice, rolls } = last;
  const tie = rolls[0] === rolls[1];
  return (
    <div class={tie ? "mid rolled tied" : "mid rolled"}>
      {[far, near].map((seat, i) => (
        <div class={i ? "sealbox r" : "sealbox"} key={seat}>
          <Die value={rolls[seat]} size={56} fill={TINT[rolls[seat]]} />
          <span>
            <strong>{subject(at, seat)}</strong>
            <span class="mono">{dice[seat]}</span>
          </span>
        </div>
      ))}
      <span class="vs">{tie ? w.fate.tieGone : w.table.won(at, rolls[0] > rolls[1] ? 0 : 1)}</span>
    </div>
  );
}

function SealBox({ at, seat, near }: { at: At; seat: number; near: number }) {
  const sealed = at.sealed.includes(seat);
  const name = at.names[seat];
  return (
    <div class={seat === near ? "sealbox r" : "sealbox"}>
      {sealed
        ? <Seal letter={[...name][0]?.toUpperCase() ?? "?"} kind={seat === near ? "you" : "house"} />
        : <span class="ghost" aria-hidden="true">{[...name][0]?.toUpperCase()}</span>}
      <span>
        <strong>{seat === at.me ? w.fate.yourSeal : sealed ? w.fate.sealed : who(name)}</strong>
        <span class="mono">{sealed ? short(sealOf(at, seat)) : w.fate.notYet}</span>
      </span>
    </div>
  );
}

/** The commitment with which a seat sealed the choice that is open now. */
function sealOf({ told, line }: At, seat: number): string {
  for (let i = line - 1; i >= 0; i--) {
    const { kind, seat: by, commitment } = told.lines[i].event;
    if (kind === "seal" && by === seat) return String(commitment);
  }
  return "";
}

function Below(at: At) {
  const { view, me } = at;
  const near = me ?? 1, far = 1 - near;
  const [mine, theirs] = [view.hands[near], view.hands[far]];
  if (!mine.length || !theirs.length) return null;
  return (
    <section class="card pane">
      <div class="head">
        <h2>{w.fate.odds}</h2>
        <div class="legend">
          <span>
            <i class="k-you" />
            {subject(at, near)}
          </span>
          <span>
            <i class="k-tie" />
            {w.fate.tie}
          </span>
          <span>
            <i class="k-house" />
            {subject(at, far)}
          </span>
        </div>
      </div>
      <table class="odds">
        <caption class="sr">{w.fate.oddsCaption}</caption>
        <thead>
          <tr>
            <td class="corner" />
            {theirs.map((die, i) => <th scope="col" key={i}>{die}</th>)}
          </tr>
        </thead>
        <tbody>
          {mine.map((die, i) => (
            <tr class={at.ownSealed === i ? "on" : ""} key={i}>
              <th scope="row">{die}</th>
              {theirs.map((other, j) => {
                const [wins, ties, losses] = duel(die, other);
                return (
                  <td key={j}>
                    <b>{wins}</b> <span class="mute">: {losses}</span>
                    <span class="tie">{w.fate.tied(ties)}</span>
                    <Bar parts={[wins, ties, losses]} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const fatestones: GamePage<FateView> = {
  names: ["fatestones/1"],
  pitch: w.fate.pitch,
  facts: w.fate.facts,
  Picture: FateScene,
  art: "fate",
  rivals: ["optimal", "greedy"],
  Table,
  Below,
  tag: ({ view }) => w.fate.round(view.round + (view.payoff ? 0 : 1), view.hands[0].length),
  state: (at) => {
    const { view, me } = at;
    const last = view.last ? `${w.fate.rolls(at, view.last.dice, view.last.rolls)} ` : "";
    const tie = view.last && view.last.rolls[0] === view.last.rolls[1] ? `${w.fate.tieGone} ` : "";
    if (at.told.over) return last;
    const dice = view.hands[0].length ? `${w.fate.deal(at, view.hands)} ` : "";
    return `${last}${tie}${dice}${at.asked && me !== null ? w.fate.choose(view.hands[me].length) : ""}`;
  },
  tell: (event, at) => {
    const { view, told, line } = at;
    if (event.kind === "open") {
      const hands = (told.views[line - 2] as FateView | undefined)?.hands ?? view.hands;
      return w.fate.took(at, event.seat as number, hands[event.seat as number]?.[event.move as number] ?? "?");
    }
    if (event.kind !== "dealt") return null;
    const before = told.views[line - 2] as FateView | undefined;
    if (view.last && view.last !== before?.last) return w.fate.rolled(view.last.rolls[0], view.last.rolls[1]);
    return w.fate.dealt;
  },
};
