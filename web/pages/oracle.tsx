/** An oracle, played by hand: the same board as at a table, over the four requests that a bot makes. */
import "./first.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, Problem } from "../arena/api.ts";
import { type Counts, keepDone, type Oracle, oracleOf, pathOf } from "../arena/contests.ts";
import { CodeRow, GuessForm, MarksLegend } from "../games/codebreaking.tsx";
import { fitting, type Row } from "../games/codes.ts";
import { Nothing } from "../parts/Nothing.tsx";
import { say } from "../parts/Say.tsx";
import { grouped, told, w } from "../words.ts";
import { c } from "../words/contests.ts";

/** Milliseconds until an arena that did not answer is asked again. */
const AGAIN = 1500;

/** The oracle as it is, with all that it has answered. `null`: there is none. */
function useOracle(path: string) {
  const [oracle, setOracle] = useState<Oracle | null | undefined>(undefined);
  const [left, setLeft] = useState<number | null>(null);
  const [trouble, setTrouble] = useState("");
  const looks = useRef(0);
  const look = async (): Promise<void> => {
    const serial = ++looks.current;
    try {
      const found = await call<Oracle>("GET", path);
      // In a contest the arena counts for nobody before the close.
      const count = await call<{ left: number | null }>("GET", `${path}/left`).catch(() => null);
      if (serial !== looks.current) return; // somebody has looked again since
      setOracle(found);
      setLeft(count?.left ?? null);
      setTrouble("");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (serial !== looks.current) return;
      if (error.status === 404) return setOracle(null);
      setTrouble(error.detail);
      if (error.isAway) setTimeout(() => serial === looks.current && void look(), AGAIN);
    }
  };
  useEffect(() => {
    void look();
    return () => void looks.current++;
  }, [path]);
  return { oracle, left, trouble, look };
}

export function OraclePage({ id }: { id: string }) {
  const path = `/oracle/${encodeURIComponent(id)}`;
  const { oracle, left, trouble, look } = useOracle(path);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    document.title = `${c.oracle.title} · ${w.name}`;
  }, []);

  /** Whether the arena took it is seen when we look: an answer that was lost on the way stands there too. */
  const attempt = async (work: () => Promise<unknown>) => {
    setRefused("");
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!error.isAway) setRefused(error.detail);
    }
    await look();
  };
  const submit = (guess: number[]) =>
    attempt(async () => {
      const { full_match_count: full, partial_match_count: partial } = await call<Counts>("POST", path, {
        submission: guess,
      });
      say(w.code.answer(full, partial));
    });

  useEffect(() => {
    if (oracle?.over && oracle.contest) {
      void keepDone(oracleOf(pathOf(oracle.contest)), id, oracle.solved ? oracle.attempts : 0);
    }
  }, [oracle?.over]);

  if (oracle === null) return <Nothing words={c.oracle.gone} />;
  if (!oracle) return <main id="main" class="wrap" tabIndex={-1}>{told(trouble) || w.working}</main>;
  const { base, length, over, solved, attempts } = oracle;
  const rows = (oracle.answers ?? []).map((one): Row => ({
    guess: one.submission,
    answer: [one.full_match_count, one.partial_match_count],
  }));
  const before = attempts - rows.length;
  /** Counted here, if every answer is shown; else the arena's count, of the last row. */
  const leftAfter = (row: number) =>
    (before ? null : fitting(base, length, rows.slice(0, row))?.length) ?? (row === rows.length ? left : null);
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1 class="t">{c.oracle.title}</h1>
      <p class="lead">{c.oracle.is(length, base, c.kind[oracle.oracle_type] ?? told(oracle.oracle_type))}</p>
      <section class="felt code" aria-label={w.table.label}>
        {before > 0 && <p class="small mute">{c.oracle.earlier(before)}</p>}
        <MarksLegend />
        <ol class="board" aria-label={w.code.board}>
          {rows.map(({ guess, answer }, i) => (
            <CodeRow
              guess={guess}
              base={base}
              answer={answer}
              left={leftAfter(i + 1)}
              number={before + i + 1}
              key={before + i}
            />
          ))}
        </ol>
        {trouble && <p class="notice bad" role="alert">{told(trouble)}</p>}
        {refused && <p class="notice bad" role="alert">{w.play.refused} {told(refused)}</p>}
        {over
          ? <p class="sentence">{solved ? c.oracle.found(attempts) : c.oracle.gaveUp}</p>
          : <GuessForm base={base} length={length} question={String(attempts)} ask={submit} key={attempts} />}
      </section>
      <p class="acts">
        {oracle.contest && (
          <a class="btn" href={`#/contest/${encodeURIComponent(oracleOf(pathOf(oracle.contest)))}`}>
            {c.oracle.back}
          </a>
        )}
        {!over && (
          <button type="button" class="btn quiet" onClick={() => void attempt(() => call("DELETE", path))}>
            {c.oracle.giveUp}
          </button>
        )}
        {over && oracle.transcript && <a class="btn" href={pathOf(oracle.transcript)} download>{w.table.saveGame}</a>}
      </p>
      {oracle.commitment && (
        <p class="small mute">
          {oracle.contest ? c.oracle.seed : c.oracle.commitment} <span class="mono">{grouped(oracle.commitment)}</span>
        </p>
      )}
    </main>
  );
}
