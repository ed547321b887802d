/** One contest: the standings as they come, what was fixed before, and the check of the whole. */
import "./first.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../arena/api.ts";
import {
  closeContest,
  closingOf,
  type Contest,
  contests,
  type Done,
  doneIn,
  enterByHand,
  type Entry,
  entryOf,
  type Forced,
  oracleOf,
  type Standing,
  type Standings,
} from "../arena/contests.ts";
import { ownName } from "../arena/sit.ts";
import { connection } from "../arena/stream.ts";
import { checkingContest, type ContestVerdict } from "../check/contest.ts";
import { ENOUGH_GAMES, hasInterval, Intervals } from "../parts/Intervals.tsx";
import { Nothing } from "../parts/Nothing.tsx";
import { say } from "../parts/Say.tsx";
import { useStandings } from "../parts/standings.ts";
import { inTurns } from "../parts/turns.ts";
import { Stamp } from "../parts/Verdict.tsx";
import { capital, grouped, told, w } from "../words.ts";
import { c } from "../words/contests.ts";
import { stamp } from "../words/verdict.ts";
import { saveFile } from "./save.ts";

export function ContestPage({ id }: { id: string }) {
  const [contest, setContest] = useState<Contest | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const standings = useStandings(id);
  useEffect(() => {
    document.title = `${c.page.title(id)} · ${w.name}`;
  }, [id]);
  useEffect(() => {
    let here = true; // an answer that comes after a later question is not wanted any more
    contests.get(id).then((found) => here && setContest(found), (error) => here && setProblem(error));
    return () => void (here = false);
  }, [id, standings?.final, connection.value]);
  if (problem?.status === 404) return <Nothing words={c.page.gone} />;
  if (!contest) return <main id="main" class="wrap" tabIndex={-1}>{problem ? told(problem.detail) : w.working}</main>;
  const closed = contest.state === "closed";
  const closes = new Date(contest.closes * 1000).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <div class="bar">
        <h1 class="t">{c.page.title(id)}</h1>
        <span class={closed ? "tag" : "tag ok"}>{closed ? c.closed : c.running}</span>
      </div>
      <p class="lead">
        {contest.parts.map((part) => c.part(part.games, part.base, part.length, c.kind[part.oracle_type])).join("; ")}.
        {" "}
        {closed ? c.page.since(closes) : c.page.until(closes)}
      </p>
      {contest.gives_up && <p class="notice">{capital(told(contest.gives_up))}.</p>}
      <div class="cols two-one">
        <div class="stack">
          <StandingsCard standings={standings} games={contest.games} />
          {standings && <Oracles standings={standings} />}
        </div>
        <div class="stack">
          {!closed && <ByHand id={id} />}
          <Commitment contest={contest} id={id} closed={closed} onClosed={setContest} />
        </div>
      </div>
    </main>
  );
}

const number = (text: string | null, digits = 3) => text === null ? "–" : Number(text).toFixed(digits);

export function StandingsCard({ standings, games }: { standings: Standings | null; games: number }) {
  const [training, showTraining] = useState(false);
  const rows = standings?.official ?? [];
  const ranked = rows.filter(hasInterval);
  return (
    <section class="card pane" aria-labelledby="standings">
      <h2 id="standings">{c.page.standings}</h2>
      {!rows.length && <p class="mute">{c.page.nobody}</p>}
      <Intervals
        rows={ranked.map((row) => ({
          rank: row.rank,
          name: row.team_name,
          mean: Number(row.mean),
          low: Number(row.low),
          high: Number(row.high),
        }))}
      />
      {rows.length > 0 && <Teams rows={rows} games={games} />}
      {rows.length > 0 && <p class="small mute">{c.page.how}</p>}
      {Boolean(standings?.training.length) && (
        <>
          <button type="button" class="btn" aria-expanded={training} onClick={() => showTraining(!training)}>
            {c.page.showTraining(standings!.training.length)}
          </button>
          {training && (
            <>
              <h3>{c.page.training}</h3>
              <p class="small mute">{c.page.trainingText}</p>
              <Teams rows={standings!.training} games={games} />
            </>
          )}
        </>
      )}
    </section>
  );
}

/** The cells of a row that say how many steps it took. */
function Figures(row: Pick<Standing, "solved" | "mean" | "low" | "high" | "worst">) {
  const { mean, low, high, worst, solved } = row;
  const none = mean === null ? "–" : solved < ENOUGH_GAMES ? c.page.tooFew : c.page.allSame;
  return (
    <>
      <td>{number(mean)}</td>
      <td class="nowrap">{hasInterval(row) ? `${number(low, 2)} to ${number(high, 2)}` : none}</td>
      <td>{worst ?? "–"}</td>
    </>
  );
}

function Teams({ rows, games }: { rows: readonly Standing[]; games: number }) {
  return (
    <div class="scroll" tabIndex={0}>
      <table class="teams">
        <thead>
          <tr>
            {[c.page.rank, c.page.team, c.page.solved, c.page.mean, c.page.range, c.page.worst].map((head) => (
              <th scope="col" key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const shared = row.rank !== null && rows.filter(({ rank }) => rank === row.rank).length > 1;
            return (
              <tr key={row.entry}>
                <td>{row.rank === null ? "–" : `${row.rank}${shared ? "=" : ""}`}</td>
                <th scope="row">
                  {told(row.team_name)} <span class="small mute">{told(row.software_version)}</span>
                </th>
                <td>
                  <meter
                    min={0}
                    max={games}
                    value={row.solved}
                    aria-label={c.page.progress(row.solved, games)}
                  />{" "}
                  {c.page.progress(row.solved, games)}
                </td>
                <Figures {...row} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The same results from the side of the oracles: what each kind of game, and each factory, took the teams. */
function Oracles({ standings: { parts = [], factories = [], removed = [] } }: { standings: Standings }) {
  return (
    <>
      {parts.length > 1 && (
        <Took
          words={c.page.parts}
          rows={parts.map((row) => ({
            ...row,
            name: c.part(row.games, row.base, row.length, c.kind[row.oracle_type]),
          }))}
        />
      )}
      {factories.length > 0 && (
        <Took
          words={c.page.factories}
          rows={factories.map((row) => ({
            ...row,
            name: `${row.rank === null ? "–" : `${row.rank}.`} ${
              row.oraclefactory === null ? c.page.here : told(row.oraclefactory)
            }`,
          }))}
        />
      )}
      {removed.length > 0 && (
        <section class="card pane" aria-labelledby="removed">
          <h2 id="removed">{c.page.removed}</h2>
          <p class="small mute">{c.page.removedText}</p>
          <ul>
            {removed.map((row) => (
              <li key={row.entry}>{told(`${row.team_name} ${row.software_version}`)}: {told(row.reason)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Took({ words: { title, text, head }, rows }: {
  words: { title: string; text: string; head: string };
  rows: readonly (Forced & { name: string })[];
}) {
  return (
    <section class="card pane" aria-label={title}>
      <h2>{title}</h2>
      <p class="small mute">{text}</p>
      <div class="scroll" tabIndex={0}>
        <table class="teams">
          <thead>
            <tr>
              {[head, c.page.solved, c.page.mean, c.page.range, c.page.worst].map((one) => (
                <th scope="col" key={one}>{one}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                <th scope="row">{row.name}</th>
                <td>{c.page.progress(row.solved, row.solved + row.unfinished)}</td>
                <Figures {...row} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What was fixed before, and, after the close, the check of everything. */
function Commitment({ contest, id, closed, onClosed }: {
  contest: Contest;
  id: string;
  closed: boolean;
  onClosed: (contest: Contest) => void;
}) {
  const [verdict, setVerdict] = useState<ContestVerdict | null>(null);
  const [working, setWorking] = useState(false);
  const [refused, setRefused] = useState("");
  const [closing, setClosing] = useState<string | undefined>();
  const [asked, setAsked] = useState(false);
  const here = useRef(true);
  useEffect(() => {
    void closingOf(id).then(setClosing);
    return () => void (here.current = false);
  }, [id]);
  const attempt = (work: () => Promise<void>) => {
    setRefused("");
    work().catch((error) => {
      if (!(error instanceof Problem)) throw error;
      setRefused(error.detail);
    }).finally(() => setWorking(false));
  };
  const check = async () => {
    setWorking(true);
    setVerdict(null);
    const found = await inTurns(checkingContest(await contests.file(id), []), () => here.current);
    if (!found) return;
    setVerdict(found);
    say(found.ok ? stamp.valid : stamp.invalid);
  };
  const close = async () => {
    await closeContest(closing!);
    onClosed(await contests.get(id));
  };
  return (
    <section class="card pane stack" aria-labelledby="fixed">
      <h2 id="fixed">{c.page.before}</h2>
      <p>{capital(told(contest.covers))}.</p>
      <p class="small mute">{c.page.beforeText}</p>
      <p class="mono small">{grouped(contest.commitment)}</p>
      {closed && (
        <>
          <p>{c.page.afterText}</p>
          <p class="acts">
            <button type="button" class="btn go" disabled={working} onClick={() => attempt(check)}>
              {working ? c.page.checking : c.page.check}
            </button>
            <button
              type="button"
              class="btn"
              onClick={() => attempt(async () => saveFile(`contest-${id}.jsonl`, await contests.file(id)))}
            >
              {c.page.file}
            </button>
          </p>
        </>
      )}
      {refused && <p class="notice bad" role="alert">{told(refused)}</p>}
      {verdict && (
        <div class="verdict">
          <Stamp verdict={verdict.ok ? "valid" : "invalid"} />
          <p>
            {verdict.ok
              ? c.page.checked(verdict.transcripts)
              : c.page.failed(verdict.fault?.line ?? null, verdict.fault?.reason ?? "")}
          </p>
        </div>
      )}
      {!closed && closing && (
        <p class="acts">
          {!asked && <button type="button" class="btn" onClick={() => setAsked(true)}>{c.page.closeIt}</button>}
          {asked && (
            <>
              <span>{c.page.closeAsk}</span>
              <button type="button" class="btn go" onClick={() => attempt(close)}>{c.page.closeYes}</button>
              <button type="button" class="btn" onClick={() => setAsked(false)}>{c.page.keep}</button>
            </>
          )}
        </p>
      )}
    </section>
  );
}

/** Entering as a person. */
function ByHand({ id }: { id: string }) {
  const [entry, setEntry] = useState<Entry | undefined>();
  const [done, setDone] = useState<Done>({});
  const [refused, setRefused] = useState("");
  useEffect(() => {
    void entryOf(id).then(setEntry);
    void doneIn(id).then(setDone);
  }, [id]);
  const enter = async (team: string) => {
    try {
      setEntry(await enterByHand(id, team));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setRefused(error.detail);
    }
  };
  return (
    <section class="card pane stack" aria-labelledby="by-hand">
      <h2 id="by-hand">{c.hand.title}</h2>
      {entry
        ? (
          <>
            <p>{c.hand.yours(entry.team)}</p>
            <ol class="games-of-entry">
              {entry.oracles.map((path, i) => (
                <li key={path}>
                  <a class="btn" href={`#/oracle/${encodeURIComponent(oracleOf(path))}`}>{c.hand.game(i + 1)}</a>{" "}
                  <span class="small mute">{oracleOf(path) in done ? c.hand.done(done[oracleOf(path)]) : ""}</span>
                </li>
              ))}
            </ol>
          </>
        )
        : (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void enter(String(new FormData(event.currentTarget).get("team")).trim());
            }}
          >
            <p class="small mute">{c.hand.text}</p>
            <p class="field">
              <label for="team">{c.hand.team}</label>
              <input id="team" name="team" maxLength={20} required defaultValue={ownName.value} />
            </p>
            {refused && <p class="notice bad" role="alert">{w.play.refused} {told(refused)}</p>}
            <p class="acts">
              <button type="submit" class="btn go">{c.hand.enter}</button>
            </p>
          </form>
        )}
    </section>
  );
}
