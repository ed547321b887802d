/** An oracle, played by hand: the same board as at a table, over the four requests that a bot makes. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { call, Problem } from "../arena/api.ts";
import { type Counts, type Oracle, pathOf } from "../arena/contests.ts";
import { keepThing, thing } from "../arena/secrets.ts";
import type { Json } from "../check/json.ts";
import { CodePad, CodeRow, useCode } from "../games/codebreaking.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { grouped, told, w } from "../words.ts";
import { c } from "../words/contests.ts";

/** A step and its answer; without one while it is on its way. */
interface Step {
  guess: number[];
  answer?: [number, number];
}

interface Described extends Oracle {
  contest?: string;
}

export function OraclePage({ id }: { id: string }) {
  const path = `/oracle/${encodeURIComponent(id)}`;
  const [oracle, setOracle] = useState<Described | null | undefined>(undefined);
  const [steps, setSteps] = useState<Step[]>([]);
  const [refused, setRefused] = useState("");
  const look = () => call<Described>("GET", path).then(setOracle, () => setOracle(null));
  useEffect(() => {
    document.title = `${c.oracle.title} · ${w.name}`;
    void thing(`steps/${id}`).then((kept) => setSteps((kept as unknown as Step[] | undefined) ?? []));
    void look();
  }, [id]);

  const submit = async (guess: number[]) => {
    setRefused("");
    try {
      const { full_match_count: full, partial_match_count: partial } = await call<Counts>("POST", path, {
        submission: guess,
      });
      const now = [...steps, { guess, answer: [full, partial] as [number, number] }];
      await keepThing(`steps/${id}`, now as unknown as Json);
      setSteps(now);
      say(w.code.answer(full, partial));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setRefused(error.detail);
    }
    await look();
  };

  if (oracle === undefined) return <main id="main" class="wrap" tabIndex={-1}>{w.working}</main>;
  if (oracle === null) {
    return (
      <main id="main" class="wrap narrow" tabIndex={-1}>
        <h1>{c.oracle.gone}</h1>
      </main>
    );
  }
  const { base, length, over, solved, attempts } = oracle;
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1 class="t">{c.oracle.title}</h1>
      <p class="lead">{c.oracle.is(length, base, c.kind[oracle.oracle_type] ?? told(oracle.oracle_type))}</p>
      <section class="felt code" aria-label={w.table.label}>
        <ol class="board" aria-label={w.code.board}>
          {steps.map(({ guess, answer }, i) => (
            <CodeRow guess={guess} base={base} answer={answer} number={i + 1} key={i} />
          ))}
        </ol>
        {steps.length < attempts && <p class="small mute">{c.oracle.laterSteps}</p>}
        {refused && <p class="notice bad" role="alert">{w.play.refused} {told(refused)}</p>}
        {over
          ? <p class="sentence">{solved ? c.oracle.found(attempts) : c.oracle.gaveUp}</p>
          : <Entry base={base} length={length} submit={submit} key={steps.length} />}
      </section>
      <p class="acts">
        {oracle.contest && <a class="btn" href={`#/contest/${pathOf(oracle.contest).split("/")[2]}`}>{c.oracle.back}
        </a>}
        {!over && (
          <button type="button" class="btn quiet" onClick={() => void call("DELETE", path).then(look)}>
            {c.oracle.giveUp}
          </button>
        )}
        {over && oracle.transcript && <a class="btn" href={pathOf(oracle.transcript)} download>{w.table.saveGame}</a>}
      </p>
      {oracle.commitment && (
        <p class="small mute">
          {c.oracle.commitment} <span class="mono">{grouped(oracle.commitment)}</span>
        </p>
      )}
    </main>
  );
}

function Entry({ base, length, submit }: { base: number; length: number; submit: (code: number[]) => Promise<void> }) {
  const typing = useCode(base, length);
  const [busy, setBusy] = useState(false);
  const whole = typing.code.length === length && !busy;
  const ask = () => {
    if (!whole) return;
    setBusy(true);
    void submit(typing.code).finally(() => setBusy(false));
  };
  useKeys([...typing.keys, { key: "Enter", does: w.code.ask, run: ask }]);
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <CodePad base={base} length={length} {...typing} />
      <div class="act">
        <button type="submit" class="btn go" disabled={!whole}>
          {w.code.ask} <kbd>Enter</kbd>
        </button>
      </div>
    </form>
  );
}
