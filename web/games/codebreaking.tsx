/** Code breaking: a board of pegs with digits in them; both the breaker's side and the keeper's. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CodeView } from "../check/games/codebreaking.ts";
import type { Json } from "../check/json.ts";
import { Peg } from "../look/pegs.tsx";
import { CodeScene } from "../look/scenes.tsx";
import { useChoice } from "../parts/choice.ts";
import { useKeys } from "../parts/Keys.tsx";
import { Plate } from "../parts/Plate.tsx";
import { w } from "../words.ts";
import { answers, fitting, impossibleRow, misfit } from "./codes.ts";
import type { GamePage, Moment } from "./game.ts";

type At = Moment<CodeView>;

const written = (code: readonly number[], base: number) => code.join(base > 10 ? " " : "");

function Table(at: At) {
  const { view, asked, me } = at;
  const { base, length, rows } = view;
  const impossible = impossibleRow(base, length, rows);
  return (
    <section class="felt code" aria-label={w.table.label}>
      {[0, 1].map((seat) => seat !== me && <Plate at={at} seat={seat} key={seat} />)}
      <Hidden view={view} base={base} own={me === 0} />
      {rows.length > 0 && <MarksLegend />}
      <ol class="board" aria-label={w.code.board}>
        {rows.map(({ guess, answer }, i) => (
          <CodeRow
            guess={guess}
            base={base}
            answer={answer}
            left={fitting(base, length, rows.slice(0, i + 1))?.length ?? null}
            wrong={impossible === i + 1}
            number={i + 1}
            key={i}
          />
        ))}
        {view.asked && <CodeRow guess={view.asked} base={base} number={rows.length + 1} />}
      </ol>
      {impossible && <p class="notice bad">{w.code.impossible(impossible)}</p>}
      {asked && view.stage === "guess" && <Guess {...at} key={at.question} />}
      {asked && view.stage === "answer" && <Answer {...at} />}
      {asked && view.stage === "show" && <Show {...at} />}
      {me !== null && <Plate at={at} seat={me} />}
    </section>
  );
}

/** What is to be found: hidden until the end. */
function Hidden({ view, base, own }: { view: CodeView; base: number; own: boolean }) {
  const { shown, length, oracle } = view;
  const over = view.stage === "over";
  const until = own ? w.code.ownCode : oracle === "fair" ? w.code.hiddenCode : w.code.noCode;
  return (
    <div class="secret">
      <strong>{w.code.theCode}</strong>
      <span class="pegs">
        {Array.from({ length: Math.min(length, 12) }, (_, i) => (
          shown ? <Peg digit={shown[i]} key={i} /> : <Peg empty key={i} />
        ))}
      </span>
      <span class="small mute">
        {shown ? written(shown, base) : over ? w.code.wasNone : until}
      </span>
    </div>
  );
}

/** What the two kinds of marks mean. */
export function MarksLegend() {
  return (
    <p class="legend" aria-hidden="true">
      <span>{w.code.legend}</span>
      <span>{w.code.legendPartial}</span>
    </p>
  );
}

interface RowProps {
  guess: readonly number[];
  base: number;
  number: number;
  answer?: readonly [number, number];
  left?: number | null;
  wrong?: boolean;
}

export function CodeRow({ guess, base, number, answer, left, wrong }: RowProps) {
  return (
    <li class={wrong ? "guess wrong" : "guess"}>
      <span class="n mono">{number}</span>
      <span class="pegs" role="img" aria-label={`${w.code.guess(number)}: ${guess.join(" ")}`}>
        {guess.map((digit, i) => <Peg digit={digit} key={i} />)}
      </span>
      {answer
        ? (
          <span class="marks">
            <span title={w.code.full} aria-hidden="true">● {answer[0]}</span>
            <span title={w.code.partial} aria-hidden="true">○ {answer[1]}</span>
            <span class="sr">{w.code.answer(answer[0], answer[1])}</span>
          </span>
        )
        : <span class="marks mute small">{w.code.waitsForAnswer}</span>}
      {answer && (
        <span class="left small mute">
          {left === null || left === undefined ? "" : w.code.left(left)}
        </span>
      )}
      <span class="sr">{written(guess, base)}</span>
    </li>
  );
}

/** Pegs that are filled one after the other: by a click, by a digit key, by typing. */
function useCode(base: number, length: number, question: string, first: readonly number[] = []) {
  const [code, setCode] = useChoice<readonly number[]>(question, first);
  const add = (digit: number) => setCode((now) => now.length < length && digit < base ? [...now, digit] : now);
  const back = () => setCode((now) => now.slice(0, -1));
  const keys = [
    ...(base <= 10
      ? Array.from({ length: base }, (_, digit) => ({
        key: String(digit),
        does: w.code.digit(digit),
        run: () => add(digit),
      }))
      : []),
    { key: "Backspace", shown: "⌫", does: w.code.back, run: back },
  ];
  return { code, setCode, add, back, keys };
}

function CodePad({ base, length, code, setCode, add, back }: {
  base: number;
  length: number;
  code: readonly number[];
  setCode: (change: () => number[]) => void;
  add: (digit: number) => void;
  back: () => void;
}) {
  return (
    <>
      <div class="slots" role="group" aria-label={w.code.yourGuess}>
        {Array.from({ length }, (_, place) => (
          <button
            type="button"
            class="slot"
            key={place}
            disabled={place >= code.length}
            onClick={() => setCode(() => code.slice(0, place))}
            aria-label={`${w.code.place(place + 1)}: ${code[place] ?? w.code.empty}`}
          >
            <Peg digit={code[place]} />
          </button>
        ))}
      </div>
      {base <= 12
        ? (
          <div class="slots pad">
            {Array.from({ length: base }, (_, digit) => (
              <button
                type="button"
                class="slot"
                key={digit}
                onClick={() => add(digit)}
                disabled={code.length >= length}
                aria-label={w.code.digit(digit)}
              >
                <Peg digit={digit} />
              </button>
            ))}
            <button type="button" class="btn" onClick={back} disabled={!code.length}>
              {w.code.back} <kbd>⌫</kbd>
            </button>
          </div>
        )
        : (
          <label class="field">
            {w.code.typed}
            <input
              inputMode="numeric"
              onInput={(event) => {
                const typed = event.currentTarget.value.split(/[\s,]+/).filter(Boolean).map(Number);
                setCode(() =>
                  typed.filter((digit) => Number.isInteger(digit) && digit >= 0 && digit < base).slice(0, length)
                );
              }}
            />
          </label>
        )}
    </>
  );
}

/** A guess, at a table or at an oracle. While it is on its way, no other can be made. */
export function GuessForm({ base, length, question, ask, children }: {
  base: number;
  length: number;
  question: string;
  ask: (code: number[]) => void | Promise<void>;
  children?: ComponentChildren;
}) {
  const typing = useCode(base, length, question);
  const [busy, setBusy] = useState(false);
  const whole = typing.code.length === length && !busy;
  const submit = async () => {
    if (!whole) return;
    setBusy(true);
    await ask([...typing.code]);
    setBusy(false);
  };
  useKeys([...typing.keys, { key: "Enter", does: w.code.ask, run: () => void submit() }]);
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <CodePad base={base} length={length} {...typing} />
      <div class="act">
        <button type="submit" class="btn go" disabled={!whole}>
          {w.code.ask} <kbd>Enter</kbd>
        </button>
        {children}
      </div>
    </form>
  );
}

function Guess(at: At) {
  const { base, length } = at.view;
  return (
    <GuessForm base={base} length={length} question={at.question} ask={(code) => at.play(code)}>
      {at.advise && (
        <button type="button" class="btn" onClick={at.advise}>
          {w.table.hint} <kbd>H</kbd>
        </button>
      )}
      <button type="button" class="btn quiet" onClick={() => at.play("give up")}>{w.code.giveUp}</button>
    </GuessForm>
  );
}

/** The keeper answers. Behind each answer: how many codes would be left. */
function Answer(at: At) {
  const { base, length, rows, asked } = at.view;
  const possible = answers(length);
  return (
    <fieldset class="choices answers">
      <legend>{w.code.keeper}</legend>
      <p class="small mute">{w.code.keeperHow}</p>
      {!rows.length && <MarksLegend />}
      {possible.map((answer) => {
        const left = fitting(base, length, [...rows, { guess: asked ?? [], answer }])?.length ?? null;
        return (
          <button
            type="button"
            class={left === 0 ? "btn reply none" : "btn reply"}
            key={answer.join()}
            onClick={() => at.play(answer as Json)}
            aria-label={`${w.code.answer(answer[0], answer[1])}${left === null ? "" : `: ${w.code.left(left)}`}`}
          >
            <span>● {answer[0]} ○ {answer[1]}</span>
            {left !== null && <span class="small mute">{w.code.left(left)}</span>}
          </button>
        );
      })}
    </fieldset>
  );
}

/** The keeper shows a code in the end. One that does not fit is refused here, with the row. */
function Show(at: At) {
  const { base, length, rows } = at.view;
  const fits = fitting(base, length, rows);
  const only = fits?.length === 1 ? fits[0] : null;
  const typing = useCode(base, length, at.question, only ?? []);
  const whole = typing.code.length === length;
  const miss = whole ? misfit(typing.code, rows) : null;
  const show = () => whole && !miss && at.play([...typing.code]);
  useKeys([...typing.keys, { key: "Enter", does: w.code.show, run: show }]);
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        show();
      }}
    >
      <strong>{w.code.showLegend}</strong>
      {only && <p class="small mute">{w.code.oneFits(written(only, base))}</p>}
      <CodePad base={base} length={length} {...typing} />
      {miss && (
        <p class="notice bad" role="alert">
          {w.code.noFit(
            miss.row,
            miss.given[0],
            miss.given[1],
            rows[miss.row - 1].answer[0],
            rows[miss.row - 1].answer[1],
          )}
        </p>
      )}
      <div class="act">
        <button type="submit" class="btn go" disabled={!whole || !!miss}>
          {w.code.show} <kbd>Enter</kbd>
        </button>
        <button type="button" class="btn" onClick={() => at.play("no code")}>{w.code.none}</button>
      </div>
    </form>
  );
}

export const codebreaking: GamePage<CodeView> = {
  names: ["codebreaking/1"],
  pitch: w.code.pitch,
  facts: w.code.facts,
  Picture: CodeScene,
  art: "code",
  rivals: ["fair", "best"],
  quick: [
    { words: w.code.fair, player: "fair" },
    { words: w.code.nice, player: "nice", params: { oracle: "nice" } },
    { words: w.code.evil, player: "evil", params: { oracle: "evil" } },
    { words: w.code.keep, player: "best", params: { oracle: "evil" }, seat: 0 },
  ],
  Table,
  tag: ({ view }) => w.code.size(view.base, view.length),
  state: (at) => {
    const { rows, base, length, stage, shown } = at.view;
    const last = rows.at(-1);
    const left = last ? fitting(base, length, rows)?.length : undefined;
    const answered = last ? `${w.code.answer(last.answer[0], last.answer[1])}. ` : "";
    if (stage === "over") return shown ? `${w.code.shows(at, written(shown, base))}.` : w.code.wasNone;
    const count = left === undefined ? "" : `${w.code.left(left)}. `;
    return `${answered}${count}${at.asked && stage === "guess" ? w.code.yourTurn : ""}`;
  },
  result: (at) => {
    const { gaveUp, rows, length, shown } = at.view;
    if (gaveUp && shown) return w.code.gaveUp(at);
    return shown && rows.at(-1)?.answer[0] === length ? w.code.solved(at, rows.length) : "";
  },
  tell: (event, at) => {
    if (event.kind !== "move") return null;
    const { move, seat } = event;
    const { base, stage } = at.view;
    if (move === "give up") return w.code.gives(at);
    if (move === "no code") return w.code.says(at);
    if (!Array.isArray(move)) return null;
    if (seat === 1) return w.code.asks(at, written(move as number[], base));
    return stage === "over"
      ? w.code.shows(at, written(move as number[], base))
      : w.code.answers(at, move[0] as number, move[1] as number);
  },
};
