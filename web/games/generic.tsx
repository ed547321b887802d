/**
 * Any registered game: drawn from what the game declares. The arena sends the view with its schema, the moves with
 * their words and a sentence of state; each value is drawn by the kind that the schema names (`x-look`).
 */
import { useEffect, useState } from "preact/hooks";
import { type Choice, type Game, games, type Schema } from "../arena/api.ts";
import { isObject, type Json } from "../check/json.ts";
import { Card } from "../look/cards.tsx";
import { Die, Stone } from "../look/dice.tsx";
import { Peg } from "../look/pegs.tsx";
import { PlainScene } from "../look/scenes.tsx";
import { Form } from "../parts/Form.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { Plate } from "../parts/Plate.tsx";
import { told, w } from "../words.ts";
import type { GamePage, Moment } from "./game.ts";

/** What the arena declares of a game. */
export function useGame(name: string): Game | null {
  const [game, setGame] = useState<Game | null>(null);
  useEffect(() => {
    let here = true;
    games().then((all) => here && setGame(all.find((one) => one.name === name) ?? null), () => {});
    return () => void (here = false);
  }, [name]);
  return game;
}

/** Follows a reference within a schema. */
function resolved(schema: Schema | undefined, root: Schema): Schema {
  if (schema?.$ref) {
    return { ...resolved(root.$defs?.[schema.$ref.split("/").pop() ?? ""], root), ...schema, $ref: undefined };
  }
  return schema ?? {};
}

const title = (name: string) => name.replaceAll("_", " ");

/** A value, by the kind that its schema names. */
function Look({ value, schema, root, names }: { value: Json; schema: Schema; root: Schema; names: readonly string[] }) {
  const look = schema["x-look"];
  const inner = resolved(schema.anyOf?.find((one) => one.type !== "null") ?? schema, root);
  if (isObject(value) && value.hidden === true) return <span class="tag">{w.generic.hidden}</span>;
  if (value === null) return <span class="mute">–</span>;
  if (Array.isArray(value)) {
    return (
      <span class="values">
        {value.map((one, i) => (
          <Look
            value={one}
            schema={{ "x-look": look, ...resolved(inner.prefixItems?.[i] ?? inner.items, root) }}
            root={root}
            names={names}
            key={i}
          />
        ))}
        {!value.length && <span class="mute">{w.generic.none}</span>}
      </span>
    );
  }
  if (isObject(value)) return <Fields value={value} schema={inner} root={root} names={names} />;
  if (typeof value === "number") {
    if (look === "die" || look === "pips") return <Die value={value} />;
    if (look === "card" && value >= 0 && value < 52) return <Card card={value} width={54} />;
    if (look === "code") return <Peg digit={value} size={34} />;
    if (look === "seat") return <span class="tag">{told(names[value] ?? String(value))}</span>;
    return <b class="number">{value}</b>;
  }
  if (look === "stone" && typeof value === "string" && /^[1-6]{6}$/.test(value)) return <Stone die={value} size={26} />;
  if (typeof value === "boolean") return <b>{value ? w.generic.yes : w.generic.no}</b>;
  return <span>{told(value)}</span>;
}

function Fields(
  { value, schema, root, names }: {
    value: { [name: string]: Json };
    schema: Schema;
    root: Schema;
    names: readonly string[];
  },
) {
  return (
    <dl class="fields">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}>
          <dt>{title(name)}</dt>
          <dd>
            <Look value={one} schema={resolved(schema.properties?.[name], root)} root={root} names={names} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The moves that can be chosen, with their words. */
function choicesOf(at: Moment): Choice[] {
  const { choices, moves } = at.seatView ?? {};
  if (choices) return choices;
  return Array.isArray(moves)
    ? moves.map((move) => ({ move, words: typeof move === "string" ? move : JSON.stringify(move) }))
    : [];
}

function sentences(words: string | string[] | undefined): string[] {
  return words === undefined ? [] : Array.isArray(words) ? words : [words];
}

function Table(at: Moment) {
  const game = useGame(at.told.game);
  const view = at.seatView?.view;
  const root = game?.view ?? {};
  const choices = at.asked ? choicesOf(at) : [];
  useKeys(
    choices.slice(0, 9).map(({ move, words }, i) => ({ key: String(i + 1), does: words, run: () => at.play(move) })),
  );
  return (
    <section class="felt generic" aria-label={w.generic.table}>
      {at.told.seats.map((_, seat) => seat !== at.me && <Plate at={at} seat={seat} key={seat} />)}
      {sentences(at.seatView?.words).map((sentence) => <p class="sentence" key={sentence}>{told(sentence)}</p>)}
      {!at.live && !at.told.over && <p class="mute">{w.generic.past}</p>}
      {view !== undefined && <Look value={view} schema={root} root={root} names={at.names} />}
      {at.me !== null && <Plate at={at} seat={at.me} />}
      {at.asked && (
        <fieldset class="choices">
          <legend>{w.generic.move}</legend>
          {choices.map(({ move, words }, i) => (
            <button type="button" class="btn" key={i} onClick={() => at.play(move)}>
              {i < 9 && <kbd>{i + 1}</kbd>} {told(words)}
            </button>
          ))}
          {!choices.length && (
            <Form schema={at.seatView?.form ?? game?.move ?? {}} submit={w.generic.doIt} onSubmit={at.play} />
          )}
          {at.advise && (
            <button class="btn quiet" type="button" onClick={at.advise}>
              {w.table.hint} <kbd>H</kbd>
            </button>
          )}
        </fieldset>
      )}
    </section>
  );
}

export const generic: GamePage = {
  names: [],
  pitch: "",
  facts: "",
  Picture: () => <PlainScene letter="?" />,
  art: "plain",
  rivals: ["optimal", "mcts", "random"],
  Table,
  state: (at) => sentences(at.seatView?.words).map(told).join(" "),
  tell: () => null,
};
