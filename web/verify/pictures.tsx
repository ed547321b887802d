/** What happened in a game at one line, in words and pictures, from what lies on the table before and behind it. */
import type { ComponentChildren } from "preact";
import type { CodeView } from "../check/games/codebreaking.ts";
import type { FateView } from "../check/games/fatestones.ts";
import type { DiceView } from "../check/games/intransitive.ts";
import type { PokerView } from "../check/games/poker.ts";
import type { ZombieView } from "../check/games/zombie.ts";
import type { Json, JsonObject } from "../check/json.ts";
import { Card } from "../look/cards.tsx";
import { Die, Faces, HUES, Stone } from "../look/dice.tsx";
import { Peg } from "../look/pegs.tsx";
import { ZombieDie } from "../look/zombies.tsx";
import { play } from "./words.ts";

export interface Happening {
  title: string;
  words?: string;
  picture?: ComponentChildren;
}

export interface Moment {
  event: JsonObject;
  /** What lay there before; `null` at the first line. */
  before: unknown;
  behind: unknown;
  names: readonly string[];
  /** How the draws were made, in words. */
  by: string;
}

const small = (die: string) => (
  <span class="piece">
    <Stone die={die} size={14} />
    <span class="mono">{die}</span>
  </span>
);

function fate({ event, before, behind, names, by }: Moment): Happening | null {
  const [was, is] = [before as FateView | null, behind as FateView];
  if (event.kind === "open") {
    const die = was?.hands[event.seat as number]?.[event.move as number];
    return die ? { title: play.fate.took(names[event.seat as number]), picture: small(die) } : null;
  }
  if (event.kind !== "dealt") return null;
  if (is.last && is.round !== (was?.round ?? 0)) {
    const { dice, rolls } = is.last;
    return {
      title: play.fate.rolled(by),
      words: rolls[0] === rolls[1] ? play.fate.tie : play.fate.higher,
      picture: dice.map((die, seat) => (
        <span class="piece" key={seat}>
          <Die value={rolls[seat]} size={34} />
          <span class="mono">{die}</span>
        </span>
      )),
    };
  }
  return {
    title: play.fate.dealt(by),
    picture: [
      ...is.hands[0].map(small),
      <span class="mute" key="against">{play.fate.against}</span>,
      ...is.hands[1].map(small),
    ],
  };
}

function dice({ event, before, behind, names, by }: Moment): Happening | null {
  const [was, is] = [before as DiceView | null, behind as DiceView];
  if (event.kind === "move") {
    const faces = is.dice[event.move as number]?.map(String) ?? [];
    const tint = () => HUES[(event.move as number) % HUES.length];
    return {
      title: play.dice.took(names[event.seat as number]),
      picture: (
        <span class="piece">
          <Faces faces={faces} tint={tint} label={faces.join(" ")} size={18} />
        </span>
      ),
    };
  }
  if (event.kind !== "dealt") return null;
  if (is.first !== null && was?.first === null) return { title: `${play.dice.first(names[is.first])}, ${by}` };
  const rolled = is.rolls.length - 1;
  if (rolled < 0) return null;
  const fresh = is.rolls.slice(was?.rolls.length ?? 0);
  return {
    title: fresh.length > 1 ? play.fate.rolled(by) : `${play.dice.rolls(names[rolled])}, ${by}`,
    picture: fresh.map((face, i) => (
      <span class="piece" key={i}>
        <Die value={`${face}`} size={34} />
      </span>
    )),
  };
}

function poker({ event, before, behind, names, by }: Moment): Happening | null {
  const [was, is] = [before as PokerView | null, behind as PokerView];
  const hand = is.hand.map((card, place) => (
    <span class="piece" key={place}>
      <Card card={card} width={38} />
    </span>
  ));
  if (event.kind === "move") {
    const kept = (event.move as number[]).filter((one) => !one).length;
    return { title: play.poker.order(names[1], kept) };
  }
  if (event.kind !== "dealt") return null;
  return { title: was?.order ? play.poker.exchanged(by) : play.poker.dealt(by), picture: hand };
}

function pegs(digits: readonly number[]): ComponentChildren {
  return (
    <span class="piece" role="img" aria-label={digits.join(" ")}>
      {digits.map((digit, i) => <Peg digit={digit} size={26} key={i} />)}
    </span>
  );
}

function code({ event, before, names }: Moment): Happening | null {
  if (event.kind !== "move") return null;
  const stage = (before as CodeView | null)?.stage;
  const who = names[event.seat as number];
  const move = event.move as Json;
  if (stage === "guess") {
    return move === "give up"
      ? { title: play.code.gaveUp(who) }
      : { title: play.code.guess(who), picture: pegs(move as number[]) };
  }
  if (stage === "answer") {
    const [full, partial] = move as number[];
    return { title: `${play.code.answer(who)}: ${play.code.marks(full, partial)}`, words: play.code.fits };
  }
  if (!Array.isArray(move)) return { title: play.code.none(who) };
  return { title: play.code.shows(who), words: play.code.fitsAll, picture: pegs(move as number[]) };
}

function zombie({ event, before, behind, names }: Moment): Happening | null {
  const [was, is] = [before as ZombieView | null, behind as ZombieView];
  if (event.kind === "dealt" && was?.stage === "shuffle") {
    return { title: play.zombie.order, words: play.zombie.orderWords(is.order.map((seat) => names[seat])) };
  }
  if (event.kind === "dealt" && is.last) {
    return {
      title: play.zombie.rolled(names[is.last.seat]),
      words: is.last.end === "shot" ? play.zombie.shot : undefined,
      picture: is.last.dice.map((die, i) => (
        <span class="piece" key={i}>
          <ZombieDie {...die} size={34} />
        </span>
      )),
    };
  }
  if (event.kind === "move") {
    const verb = play.zombie.decided[event.move as string];
    const scores = is.scores.map((score, seat) => `${names[seat]} ${score}`).join(", ");
    return {
      title: play.zombie.decides(names[event.seat as number], verb),
      words: event.move === "hold" ? play.zombie.scores(scores) : undefined,
    };
  }
  return null;
}

const GAMES: { [game: string]: (moment: Moment) => Happening | null } = {
  "fatestones/1": fate,
  "intransitive/1": dice,
  "poker/2": poker,
  "codebreaking/1": code,
  "zombie/2": zombie,
};

/** `null`: there is nothing to say beyond what every game has in common. */
export function happening(game: string, moment: Moment): Happening | null {
  return Object.hasOwn(GAMES, game) && moment.behind ? GAMES[game](moment) : null;
}
