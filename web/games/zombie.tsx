/** Zombie Dice: score board, rolling area, brains, shotguns, message and choice, as the source document has them. */
import type { Die, ZombieView } from "../check/games/zombie.ts";
import { ZombieScene } from "../look/scenes.tsx";
import { COLOURS, ZombieDie } from "../look/zombies.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { Plate } from "../parts/Plate.tsx";
import { told, w } from "../words.ts";
import type { GamePage, Moment } from "./game.ts";

type At = Moment<ZombieView>;

/** What the next roll brings, exactly: the chance to be shot down, and brains on average if not. */
export function nextRoll(view: Pick<ZombieView, "bag" | "faces" | "cells" | "brainDice" | "shotgunDice">) {
  const feet = view.cells.flatMap((die) => die ? [die.colour] : []);
  const wanted = 3 - feet.length;
  const inBag = view.bag.reduce((sum, count) => sum + count, 0);
  const bag = wanted > inBag ? view.bag.map((count, colour) => count + view.brainDice[colour]) : [...view.bag];
  const shots = view.shotgunDice.reduce((sum, count) => sum + count, 0);
  let dead = 0, brains = 0;
  const count = (colour: number, face: string) => [...view.faces[colour]].filter((one) => one === face).length;
  const faces = (dice: readonly number[], chance: number, shot: number, eaten: number): void => {
    if (!dice.length) {
      if (shots + shot >= 3) dead += chance;
      else brains += chance * eaten;
      return;
    }
    const [colour, ...rest] = dice;
    const all = view.faces[colour].length;
    for (const [face, s, b] of [["b", 0, 1], ["f", 0, 0], ["s", 1, 0]] as const) {
      const part = count(colour, face) / all;
      if (part) faces(rest, chance * part, shot + s, eaten + b);
    }
  };
  const draw = (dice: readonly number[], left: readonly number[], more: number, chance: number): void => {
    const all = left.reduce((sum, one) => sum + one, 0);
    if (!more || !all) return faces(dice, chance, 0, 0);
    left.forEach((one, colour) => {
      if (!one) return;
      draw([...dice, colour], left.map((n, i) => i === colour ? n - 1 : n), more - 1, chance * one / all);
    });
  };
  draw(feet, bag, wanted, 1);
  return { dead, brains: dead < 1 ? brains / (1 - dead) : 0 };
}

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

/** The last roll, told. */
function rollWords(at: At): string {
  const { last } = at.view;
  if (!last) return "";
  if (last.end === "held") return w.zombie.held(at, last.seat, last.brains);
  if (last.end === "passed") return w.zombie.passed(at, last.seat);
  const shown = (face: string) => last.dice.filter((die) => die.face === face).length;
  const words = `${w.zombie.rolls(at, last.seat)}: ${w.zombie.shown(shown("b"), shown("f"), shown("s"))}.`;
  return last.end === "shot" ? `${words} ${w.zombie.shot(at, last.seat)}` : words;
}

function Table(at: At) {
  const { view, asked, play } = at;
  const first = view.rolls === 0;
  useKeys(
    asked
      ? [
        { key: "r", does: w.zombie.roll, run: () => play("roll") },
        ...(first ? [] : [{ key: "x", does: w.zombie.hold, run: () => play("hold") }]),
      ]
      : [],
  );
  const mine = view.last && view.last.dice.length > 0 ? view.last : null;
  const dice: (Die | null)[] = mine ? [...mine.dice, null, null, null].slice(0, 3) : view.cells;
  return (
    <section class="felt zombie" aria-label={w.table.label}>
      <Scores at={at} />
      <div class="areas">
        <div class="area">
          <h2>{w.zombie.rolling}</h2>
          <div class="cells">
            {dice.map((die, i) => (
              <span class={die ? "cell" : "cell none"} key={i}>
                {die && <ZombieDie colour={die.colour} face={die.face} size={72} />}
              </span>
            ))}
          </div>
        </div>
        <Stored words={w.zombie.brainArea} counts={view.brainDice} face="b" total={view.brains} />
        <Stored
          words={w.zombie.shotArea}
          counts={view.shotgunDice}
          face="s"
          total={view.shotgunDice.reduce((sum, one) => sum + one, 0)}
        />
      </div>
      <p class="message">{rollWords(at)} {view.turn !== null && !at.told.over && w.zombie.turn(at, view.turn)}</p>
      {asked && (
        <div class="act">
          <button type="button" class="btn go" onClick={() => play("roll")}>
            {w.zombie.roll} <kbd>R</kbd>
          </button>
          <button type="button" class="btn" disabled={first} onClick={() => play("hold")}>
            {w.zombie.hold} <kbd>X</kbd>
          </button>
          {at.advise && (
            <button type="button" class="btn" onClick={at.advise}>
              {w.table.hint} <kbd>H</kbd>
            </button>
          )}
          <p class="say">{first ? w.zombie.decideFirst : w.zombie.decide}</p>
        </div>
      )}
      {at.me !== null && <Plate at={at} seat={at.me} />}
    </section>
  );
}

/** Who has how many brains, in the order of turns; the one whose turn it is comes behind an arrow. */
function Scores({ at }: { at: At }) {
  const { view } = at;
  const most = Math.max(view.brainsToWin, ...view.scores);
  return (
    <table class="scores">
      <caption>
        {w.zombie.scores}{" "}
        <span class="small mute">
          {view.extra
            ? w.zombie.tied
            : view.maxTurns
            ? w.zombie.byTurns(view.maxTurns)
            : w.zombie.toWin(view.brainsToWin)}
        </span>
      </caption>
      <tbody>
        {view.order.map((seat) => {
          const now = view.turn === seat && !at.told.over;
          const gone = view.gone.includes(seat);
          const out = !gone && view.stage !== "shuffle" && !view.playing.includes(seat);
          return (
            <tr class={now ? "now" : ""} aria-current={now ? "true" : undefined} key={seat}>
              <th scope="row">
                <span class="turn" aria-hidden="true">{now ? "▸" : ""}</span>
                <span class={seat === at.me ? "tag you" : "tag house"}>
                  {seat === at.me ? w.table.you(at.names[seat]) : told(at.names[seat])}
                </span>
                {gone && <span class="small mute">{w.zombie.gone}</span>}
                {out && !at.told.over && <span class="small mute">{w.zombie.out}</span>}
              </th>
              <td class="grow">
                <span class="track">
                  <i
                    class={seat === at.me ? "k-you" : "k-house"}
                    style={{ width: `${view.scores[seat] / most * 100}%` }}
                  />
                </span>
              </td>
              <td>
                <b class="number">{view.scores[seat]}</b>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Stored({ words, counts, face, total }: {
  words: string;
  counts: readonly number[];
  face: string;
  total: number;
}) {
  return (
    <div class="area">
      <h2>{words}: {total}</h2>
      <div class="cells small-dice">
        {counts.flatMap((count, colour) =>
          Array.from(
            { length: count },
            (_, i) => <ZombieDie colour={colour} face={face} size={38} key={`${colour}-${i}`} />,
          )
        )}
      </div>
    </div>
  );
}

function Below(at: At) {
  const { view } = at;
  if (view.stage !== "decide" || at.told.over) return null;
  const { dead, brains } = nextRoll(view);
  return (
    <>
      <section class="card pane">
        <div class="head">
          <h2>{w.zombie.odds(at, view.turn ?? 0, view.rolls > 0)}</h2>
        </div>
        <p>
          <b>{w.zombie.risk(percent(dead))}</b>
        </p>
        <div class="b wide-bar" aria-hidden="true">
          <i class="k-bad" style={{ flexGrow: dead }} />
          <i class="k-ok" style={{ flexGrow: 1 - dead }} />
        </div>
        <p class="small">{w.zombie.expected(brains.toFixed(2))}</p>
        <p class="small mute">{w.zombie.riskHow}</p>
      </section>
      <section class="card pane">
        <div class="head">
          <h2>{w.zombie.bag}</h2>
        </div>
        <ul class="bag">
          {view.bag.map((count, colour) => (
            <li key={colour}>
              <ZombieDie colour={colour} face={null} size={34} /> {count} {COLOURS[colour].name}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

export const zombie: GamePage<ZombieView> = {
  names: ["zombie/2"],
  pitch: w.zombie.pitch,
  facts: w.zombie.facts,
  Picture: ZombieScene,
  art: "zombie",
  rivals: ["optimal", "cautious", "greedy"],
  Table,
  Below,
  tag: ({ view }) => view.extra ? w.zombie.extra : w.zombie.round(view.round, view.maxTurns),
  state: (at) => {
    const { view, told } = at;
    const scores = view.order.map((seat) => w.zombie.score(at, seat, view.scores[seat])).join(", ");
    if (told.over) return `${rollWords(at)} ${scores}.`;
    const shots = view.shotgunDice.reduce((sum, one) => sum + one, 0);
    const so = view.rolls ? w.zombie.stands(view.brains, shots) : `${scores}.`;
    const turn = view.turn === null ? "" : w.zombie.turn(at, view.turn);
    return `${rollWords(at)} ${so} ${turn} ${at.asked ? view.rolls ? w.zombie.decide : w.zombie.decideFirst : ""}`;
  },
  tell: (event, at) => {
    const seat = event.seat as number;
    if (event.kind === "move") {
      return event.move === "roll"
        ? w.zombie.rolls(at, seat)
        : event.move === "hold"
        ? w.zombie.holds(at, seat)
        : w.zombie.passes(at, seat);
    }
    if (event.kind !== "dealt") return null;
    const { last } = at.view;
    if (!last?.dice.length) return w.zombie.shuffle;
    const shown = (face: string) => last.dice.filter((die) => die.face === face).length;
    return w.zombie.shown(shown("b"), shown("f"), shown("s"));
  },
};
