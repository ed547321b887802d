/** Practise: positions in which you erred, asked again until they sit. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { arena, Problem } from "../arena/api.ts";
import { forgetTable, type Position, positions, sits } from "../arena/learning.ts";
import { fromFile, type Told } from "../arena/record.ts";
import { fromText } from "../check/bytes.ts";
import { told as shown, w } from "../words.ts";
import { r } from "../words/review.ts";
import { Try } from "./trying.tsx";

export function PractisePage() {
  const [all, setAll] = useState<Position[] | null>(null);
  /** What is asked in this round, each once. */
  const [round, setRound] = useState<Position[]>([]);
  const [told, setTold] = useState<Told | null>(null);
  const [problem, setProblem] = useState("");
  const look = async (rest: Position[]) => {
    const found = await positions();
    setAll(found);
    setRound(rest.length ? rest : found.filter((one) => !sits(one)));
  };
  useEffect(() => {
    document.title = `${r.practise.title} · ${w.name}`;
    void look([]);
  }, []);
  const [now, ...rest] = round;
  useEffect(() => {
    setTold(null);
    if (!now) return;
    let here = true;
    arena.transcript(now.table, 0).then((text) => here && setTold(fromFile(fromText(text))), async (error) => {
      if (!(error instanceof Problem)) throw error;
      if (error.status !== 404) return setProblem(error.detail);
      await forgetTable(now.table); // the arena keeps this game no more
      await look(rest.filter(({ table }) => table !== now.table));
    });
    return () => void (here = false);
  }, [now]);
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1>{r.practise.title}</h1>
      <p class="lead">{r.practise.lead}</p>
      {problem && <p class="notice bad" role="alert">{shown(problem)}</p>}
      {!all && <p class="mute">{w.working}</p>}
      {all && all.length > 0 && <p class="mute" role="status">{r.practise.sit(all.filter(sits).length, all.length)}</p>}
      {all && !now && <p>{all.length ? r.practise.done : r.practise.nothing}</p>}
      {now && (
        <section class="card pane stack">
          <div class="head">
            <h2>{r.practise.from(shown(now.title), now.line)}</h2>
            <a class="btn quiet" href={`#/table/${encodeURIComponent(now.table)}@${now.line}`}>{r.practise.open}</a>
          </div>
          {told
            ? (
              <Try told={told} place={now} key={`${now.table}@${now.line}`}>
                <button type="button" class="btn go" onClick={() => void look(rest)}>{r.practise.next}</button>
              </Try>
            )
            : <p class="mute">{w.working}</p>}
        </section>
      )}
    </main>
  );
}
