/** Intransitive dice: the win table, and the circle in which they beat each other. */
import { useMemo } from "preact/hooks";
import type { DiceView } from "../check/games/intransitive.ts";
import { Die, Face, Faces, HUES } from "../look/dice.tsx";
import { DiceScene } from "../look/scenes.tsx";
import { useChoice } from "../parts/choice.ts";
import { useKeys } from "../parts/Keys.tsx";
import { Bar, Plate } from "../parts/Plate.tsx";
import { subject, w } from "../words.ts";
import type { GamePage, Moment } from "./game.ts";

type At = Moment<DiceView>;

const letterOf = (die: number) => die < 26 ? String.fromCharCode(65 + die) : String(die + 1);
const hue = (die: number) => HUES[die % HUES.length];
const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

/** The chances that one die beats another, ties with it, loses to it. */
export function chances(a: readonly bigint[], b: readonly bigint[]): [number, number, number] {
  let wins = 0, ties = 0;
  for (const x of a) for (const y of b) x > y ? wins++ : x === y && ties++;
  const all = a.length * b.length;
  return [wins / all, ties / all, (all - wins - ties) / all];
}

type Beats = readonly (readonly boolean[])[];

/** Whether the die of the row wins against the die of the column more often than it loses. */
const whoBeatsWhom = (dice: readonly (readonly bigint[])[]): Beats =>
  dice.map((a) => dice.map((b) => chances(a, b)[0] > chances(a, b)[2]));

/** The longest circle of the first six dice, else the shortest of all dice; empty if there is none. */
export function circle(dice: readonly (readonly bigint[])[]): number[] {
  const beats = whoBeatsWhom(dice);
  let best: number[] = [];
  const grow = (path: number[]) => {
    const last = path[path.length - 1];
    if (path.length > best.length && beats[last][path[0]]) best = path;
    for (let next = path[0] + 1; next < Math.min(6, dice.length); next++) {
      if (!path.includes(next) && beats[last][next]) grow([...path, next]);
    }
  };
  for (let first = 0; first < Math.min(6, dice.length); first++) grow([first]);
  return best.length ? best : shortestCircle(beats);
}

function shortestCircle(beats: Beats): number[] {
  let best: number[] = [];
  for (let first = 0; first < beats.length; first++) {
    const met = new Set([first]);
    let paths = [[first]];
    while (paths.length && !(best.length && paths[0].length >= best.length)) {
      const closed = paths.find((path) => beats[path[path.length - 1]][first]);
      if (closed) best = closed;
      paths = closed ? [] : paths.flatMap((path) =>
        beats.flatMap((_, die) => {
          if (!beats[path[path.length - 1]][die] || met.has(die)) return [];
          met.add(die);
          return [[...path, die]];
        })
      );
    }
  }
  return best;
}

/** What is true of these dice: the circle, the best of them, or those that no other beats. */
export function summary(dice: readonly (readonly bigint[])[], round: readonly number[]): string[] {
  const beats = whoBeatsWhom(dice);
  const all = dice.map((_, die) => die);
  const champion = all.find((die) => all.every((other) => other === die || beats[die][other]));
  const unbeaten = all.filter((die) => all.every((other) => !beats[other][die]));
  const said = [round.length ? w.dice.cycleIs(round.map(letterOf)) : w.dice.cycleNone];
  if (champion !== undefined) return [...said, w.dice.champion(letterOf(champion))];
  if (!unbeaten.length) return [...said, w.dice.second];
  return [...said, unbeaten.length === all.length ? w.dice.level : w.dice.unbeaten(unbeaten.map(letterOf))];
}

function Table(at: At) {
  const { view, asked, question, play } = at;
  const [pick, choose] = useChoice<number | null>(question, null);
  const free = view.dice.flatMap((_, die) => view.chosen.includes(die) ? [] : [die]);
  const take = () => asked && pick !== null && free.includes(pick) && play(pick);
  useKeys(
    asked
      ? [
        ...free.slice(0, 9).map((die) => ({
          key: String(die + 1),
          does: w.dice.takeDie(letterOf(die)),
          run: () => choose(() => die),
        })),
        { key: "Enter", does: w.dice.take, run: take },
      ]
      : [],
  );
  return (
    <section class="felt" aria-label={w.table.label}>
      {[0, 1].map((seat) => seat !== at.me && <Plate at={at} seat={seat} key={seat} />)}
      <form
        class="side"
        onSubmit={(event) => {
          event.preventDefault();
          take();
        }}
      >
        <fieldset class="hand dice">
          <legend class="sr">{w.dice.chooseLegend}</legend>
          {view.dice.map((faces, die) => {
            const owner = view.chosen.indexOf(die);
            const letter = letterOf(die);
            const body = (
              <>
                <Faces
                  faces={faces.slice(0, 12).map(String)}
                  tint={() => hue(die)}
                  label={w.dice.faces(faces.slice(0, 12).join(" "))}
                />
                <span class="name">{letter}</span>
              </>
            );
            return asked && owner < 0
              ? (
                <label class="stone" key={die}>
                  <input type="radio" name="die" checked={pick === die} onChange={() => choose(() => die)} />
                  <kbd>{die + 1}</kbd>
                  <span class="picked">{w.fate.chosen}</span>
                  {body}
                </label>
              )
              : (
                <div class={owner < 0 ? "stone" : owner === at.me ? "stone taken" : "stone taken other"} key={die}>
                  {owner >= 0 && <span class="picked by">{w.dice.has(at, owner)}</span>}
                  {body}
                </div>
              );
          })}
        </fieldset>
        {view.rolls.length > 0 && (
          <div class="mid rolled">
            {[0, 1].map((seat) => (
              <div class={seat === 1 ? "sealbox r" : "sealbox"} key={seat}>
                {view.rolls[seat] !== undefined && (
                  <Die value={String(view.rolls[seat])} size={56} fill={hue(view.chosen[seat] ?? 0)} />
                )}
                <strong>{subject(at, seat)}</strong>
              </div>
            ))}
            <span class="vs">
              {view.rolls.length === 2
                ? view.rolls[0] === view.rolls[1] ? w.fate.tie : w.table.won(at, view.rolls[0] > view.rolls[1] ? 0 : 1)
                : ":"}
            </span>
          </div>
        )}
        {at.me !== null && <Plate at={at} seat={at.me} />}
        {asked && (
          <div class="act">
            <button type="submit" class="btn go" disabled={pick === null}>
              {w.dice.take} <kbd>Enter</kbd>
            </button>
            {at.advise && (
              <button class="btn" type="button" onClick={at.advise}>
                {w.table.hint} <kbd>H</kbd>
              </button>
            )}
            <p class="say">{view.first === null ? w.dice.coin : `${w.dice.first(at, view.first)}. ${w.dice.why}`}</p>
          </div>
        )}
      </form>
    </section>
  );
}

function Below({ view }: At) {
  const dice = view.dice;
  const round = useMemo(() => circle(dice), [JSON.stringify(dice.map(String))]);
  return (
    <>
      <section class="card pane">
        <div class="head">
          <h2>{w.dice.odds}</h2>
        </div>
        <p class="small mute" aria-hidden="true">{w.dice.oddsCaption}</p>
        <div class="scroll">
          <table class="odds">
            <caption class="sr">{w.dice.oddsCaption}</caption>
            <thead>
              <tr>
                <td class="corner" />
                {dice.map((_, die) => <th scope="col" key={die}>{letterOf(die)}</th>)}
              </tr>
            </thead>
            <tbody>
              {dice.map((a, row) => (
                <tr key={row}>
                  <th scope="row">{letterOf(row)}</th>
                  {dice.map((b, column) => {
                    if (row === column) return <td class="corner same" key={column}>–</td>;
                    const odds = chances(a, b);
                    return (
                      <td key={column}>
                        <b>{percent(odds[0])}</b>
                        {odds[1] > 0 && <span class="tie">{w.dice.ties(percent(odds[1]))}</span>}
                        <Bar parts={odds} />
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section class="card pane">
        <div class="head">
          <h2>{w.dice.cycle}</h2>
        </div>
        {round.length > 0 && <Circle dice={dice} round={round} />}
        <p class="small mute">{summary(dice, round).join(" ")}</p>
      </section>
    </>
  );
}

/** The dice of a circle, each with an arrow to the one that it beats. */
function Circle({ dice, round }: { dice: readonly bigint[][]; round: readonly number[] }) {
  const place = (i: number, r = 86) => {
    const angle = (i / round.length) * 2 * Math.PI - Math.PI / 2;
    return [150 + r * Math.cos(angle), 118 + r * Math.sin(angle)];
  };
  const gap = 0.3 / round.length * 3;
  return (
    <svg
      class="circle"
      viewBox="0 0 300 236"
      role="img"
      aria-label={round.map((die, i) => {
        const next = round[(i + 1) % round.length];
        return w.dice.beats(letterOf(die), letterOf(next), percent(chances(dice[die], dice[next])[0]));
      }).join(", ")}
    >
      <defs>
        <marker id="beats" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="5.4" markerHeight="5.4" orient="auto">
          <path d="M0 0L8 4 0 8Z" fill="var(--ink)" />
        </marker>
      </defs>
      {round.map((die, i) => {
        const next = round[(i + 1) % round.length];
        const [x1, y1] = place(i + gap), [x2, y2] = place(i + 1 - gap), [tx, ty] = place(i + .5, 52);
        return (
          <g key={die}>
            <path
              d={`M${x1} ${y1} A86 86 0 0 1 ${x2} ${y2}`}
              fill="none"
              stroke="var(--ink)"
              stroke-width="2.6"
              stroke-linecap="round"
              marker-end="url(#beats)"
            />
            <text x={tx} y={ty + 5} text-anchor="middle" font-size="13" font-weight="600" fill="var(--ink-2)">
              {percent(chances(dice[die], dice[next])[0])}
            </text>
          </g>
        );
      })}
      {round.map((die, i) => {
        const [x, y] = place(i);
        return (
          <g key={die}>
            <Face value={letterOf(die)} x={x - 24} y={y - 24} size={48} fill={hue(die)} edge={2} />
          </g>
        );
      })}
    </svg>
  );
}

export const intransitive: GamePage<DiceView> = {
  names: ["intransitive/1"],
  pitch: w.dice.pitch,
  facts: w.dice.facts,
  Picture: DiceScene,
  art: "dice",
  rivals: ["optimal"],
  Table,
  Below,
  state: (at) => {
    const { view } = at;
    const first = view.first === null ? "" : `${w.dice.first(at, view.first)}. `;
    const taken = view.chosen.flatMap((die, seat) => die === null ? [] : [`${w.dice.taken(at, seat, letterOf(die))}.`]);
    const rolled = view.rolls.length === 2 ? `${w.dice.rolled(at, view.rolls.map(String))}. ` : "";
    return `${first}${taken.join(" ")} ${rolled}${at.asked ? w.dice.choose : ""}`;
  },
  tell: (event, at) => {
    const { view } = at;
    if (event.kind === "move") return w.dice.taken(at, event.seat as number, letterOf(event.move as number));
    if (event.kind !== "dealt") return null;
    if (view.rolls.length === 2) return w.dice.rolled(at, view.rolls.map(String));
    return view.first === null || view.rolls.length ? null : w.dice.first(at, view.first);
  },
};
