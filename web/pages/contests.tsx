/** All contests, and a form to open one. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { call, type ContestRow, Problem } from "../arena/api.ts";
import { openContest } from "../arena/contests.ts";
import { told, w } from "../words.ts";
import { c } from "../words/contests.ts";
import { go } from "./route.ts";

interface Page {
  contests: ContestRow[];
  next: string | null;
}

export function ContestsPage() {
  const [page, setPage] = useState<Page>({ contests: [], next: null });
  const more = async (after: string | null) => {
    const query = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const found = await call<Page>("GET", `/contests?state=running,closed&limit=20${query}`);
    setPage((now) => ({
      contests: after === null ? found.contests : [...now.contests, ...found.contests],
      next: found.next,
    }));
  };
  useEffect(() => {
    document.title = `${c.title} · ${w.name}`;
    more(null).catch(() => {});
  }, []);
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <h1>{c.title}</h1>
      <p class="lead">{c.lead}</p>
      <div class="cols">
        <section class="card pane" aria-label={c.title}>
          {!page.contests.length && <p class="mute">{c.none}</p>}
          <ul class="list">
            {page.contests.map((contest) => (
              <li key={contest.id}>
                <span class={contest.state === "running" ? "tag ok" : "tag"}>
                  {contest.state === "running" ? c.running : c.closed}
                </span>
                <span>
                  <a href={`#/contest/${encodeURIComponent(contest.id)}`}>
                    {told(contest.title ?? "") || c.page.title(contest.id)}
                  </a>
                  <br />
                  <span class="small mute">
                    {contest.parts.map((part) => c.part(part.games, part.base, part.length, c.kind[part.oracle_type]))
                      .join("; ")} · {c.teams(contest.teams)}
                  </span>
                </span>
              </li>
            ))}
          </ul>
          {page.next !== null && (
            <button type="button" class="btn" onClick={() => void more(page.next)}>{c.more}</button>
          )}
        </section>
        <NewContest />
      </div>
    </main>
  );
}

const NUMBERS = [
  { name: "games", least: 1, most: 1000, start: 20 },
  { name: "base", least: 2, most: 100, start: 6 },
  { name: "length", least: 1, most: 40, start: 4 },
] as const;

function NewContest() {
  const [refused, setRefused] = useState("");
  const open = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const part = Object.fromEntries(NUMBERS.map(({ name }) => [name, Number(given.get(name))]));
    try {
      const id = await openContest([{ ...part, oracle_type: given.get("kind") }], 3600 * Number(given.get("hours")));
      go(`#/contest/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setRefused(error.detail);
    }
  };
  return (
    <form
      class="card pane stack"
      aria-labelledby="new-contest"
      onSubmit={(event) => {
        event.preventDefault();
        void open(event.currentTarget);
      }}
    >
      <h2 id="new-contest">{c.open.title}</h2>
      {NUMBERS.map(({ name, least, most, start }) => (
        <p class="field" key={name}>
          <label for={`new-${name}`}>{c.open[name]}</label>
          <input id={`new-${name}`} name={name} type="number" min={least} max={most} value={start} required />
        </p>
      ))}
      <p class="field">
        <label for="new-kind">{c.open.kind}</label>
        <select id="new-kind" name="kind">
          {Object.entries(c.open.kinds).map(([kind, words]) => <option value={kind} key={kind}>{words}</option>)}
        </select>
      </p>
      <p class="field">
        <label for="new-hours">{c.open.closes}</label>
        <select id="new-hours" name="hours">
          {Object.entries(c.open.hours).map(([hours, words]) => <option value={hours} key={hours}>{words}</option>)}
        </select>
      </p>
      {refused && <p class="notice bad" role="alert">{w.play.refused} {told(refused)}</p>}
      <p class="acts">
        <button type="submit" class="btn go">{c.open.go}</button>
      </p>
      <p class="small mute">{c.open.kept}</p>
    </form>
  );
}
