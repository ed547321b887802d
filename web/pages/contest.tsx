/** One contest: the standings as they come, what was fixed before, and the check of the whole. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../arena/api.ts";
import {
  closeContest,
  closingOf,
  type Contest,
  contests,
  enterByHand,
  type Entry,
  entryOf,
  type Standing,
  type Standings,
} from "../arena/contests.ts";
import { ownName } from "../arena/sit.ts";
import { follow } from "../arena/stream.ts";
import { checkContest, type ContestVerdict } from "../check/contest.ts";
import { Intervals } from "../parts/Intervals.tsx";
import { say } from "../parts/Say.tsx";
import { Stamp } from "../parts/Verdict.tsx";
import { capital, grouped, told, w } from "../words.ts";
import { c } from "../words/contests.ts";
import { saveFile } from "./save.ts";

/** A contest's standings, kept fresh by the stream. */
export function useStandings(id: string): Standings | null {
  const [standings, setStandings] = useState<Standings | null>(null);
  useEffect(() => {
    const fetchAll = () => void contests.standings(id).then(setStandings, () => {});
    fetchAll();
    return follow(`contest:${id}`, {
      missed: fetchAll,
      news: (news) => news.standings && setStandings(news.standings as unknown as Standings),
    });
  }, [id]);
  return standings;
}

export function ContestPage({ id }: { id: string }) {
  const [contest, setContest] = useState<Contest | null | undefined>(undefined);
  const standings = useStandings(id);
  useEffect(() => {
    document.title = `${c.page.title(id)} · ${w.name}`;
    contests.get(id).then(setContest, () => setContest(null));
  }, [id, standings?.final]);
  if (contest === undefined) return <main id="main" class="wrap" tabIndex={-1}>{w.working}</main>;
  if (contest === null) {
    return (
      <main id="main" class="wrap narrow" tabIndex={-1}>
        <h1>{c.page.gone}</h1>
      </main>
    );
  }
  const closed = contest.state === "closed";
  const closes = new Date(contest.closes * 1000).toLocaleString();
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
      <div class="cols two-one">
        <StandingsCard standings={standings} games={contest.games} />
        <div class="stack">
          {!closed && <ByHand id={id} />}
          <Commitment contest={contest} id={id} closed={closed} />
        </div>
      </div>
    </main>
  );
}

const number = (text: string | null, digits = 3) => text === null ? "–" : Number(text).toFixed(digits);

export function StandingsCard({ standings, games }: { standings: Standings | null; games: number }) {
  const [training, showTraining] = useState(false);
  const rows = standings?.official ?? [];
  const ranked = rows.filter((row) => row.low !== null && row.mean !== null);
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
                <td>{number(row.mean)}</td>
                <td class="nowrap">{row.low === null ? "–" : `${number(row.low, 2)} to ${number(row.high, 2)}`}</td>
                <td>{row.worst ?? "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** What was fixed before, and, after the close, the check of everything. */
function Commitment({ contest, id, closed }: { contest: Contest; id: string; closed: boolean }) {
  const [verdict, setVerdict] = useState<ContestVerdict | "working" | null>(null);
  const [closing, setClosing] = useState<string | undefined>();
  const [asked, setAsked] = useState(false);
  useEffect(() => void closingOf(id).then(setClosing), [id]);
  const check = async () => {
    setVerdict("working");
    const bytes = await contests.file(id);
    // Let the page show that it works before it does.
    setTimeout(() => {
      const found = checkContest(bytes);
      setVerdict(found);
      say(found.ok ? w.verdict.valid : w.verdict.invalid);
    });
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
            <button type="button" class="btn go" disabled={verdict === "working"} onClick={() => void check()}>
              {verdict === "working" ? c.page.checking : c.page.check}
            </button>
            <button
              type="button"
              class="btn"
              onClick={async () => saveFile(`contest-${id}.jsonl`, await contests.file(id))}
            >
              {c.page.file}
            </button>
          </p>
        </>
      )}
      {verdict !== null && verdict !== "working" && (
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
              <button
                type="button"
                class="btn go"
                onClick={() => void closeContest(closing).then(() => location.reload())}
              >
                {c.page.closeYes}
              </button>
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
  const [refused, setRefused] = useState("");
  useEffect(() => void entryOf(id).then(setEntry), [id]);
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
                  <a class="btn" href={`#/oracle/${encodeURIComponent(path.split("/")[2])}`}>{c.hand.game(i + 1)}</a>
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
              <input id="team" name="team" maxLength={20} required value={ownName.value} />
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
