/** All contests, and a form to open one. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { call, type ContestRow, Problem } from "../arena/api.ts";
import { openContest } from "../arena/contests.ts";
import { useRows } from "../parts/rows.ts";
import { told, w } from "../words.ts";
import { c } from "../words/contests.ts";
import { go } from "./route.ts";

export function ContestsPage() {
  const { rows, more, trouble } = useRows(async (after: string | null) => {
    const query = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const path = `/contests?state=running,closed&limit=20${query}`;
    const { contests, next } = await call<{ contests: ContestRow[]; next: string | null }>("GET", path);
    return { rows: contests, next };
  });
  useEffect(() => {
    document.title = `${c.title} · ${w.name}`;
  }, []);
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <h1>{c.title}</h1>
      <p class="lead">{c.lead}</p>
      <div class="cols halves">
        <section class="card pane" aria-label={c.title}>
          {trouble && <p class="notice bad" role="alert">{told(trouble)}</p>}
          {!rows && !trouble && <p class="mute">{w.working}</p>}
          {rows?.length === 0 && <p class="mute">{c.none}</p>}
          <ul class="list">
            {rows?.map((contest) => (
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
          {more && <button type="button" class="btn" onClick={more}>{c.more}</button>}
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
      const kind = { ...part, oracle_type: given.get("kind") };
      const id = await openContest([kind], 3600 * Number(given.get("hours")), String(given.get("disguise")));
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
          <input
            id={`new-${name}`}
            name={name}
            type="number"
            min={least}
            max={most}
            defaultValue={String(start)}
            required
          />
        </p>
      ))}
      <p class="field">
        <label for="new-kind">{c.open.kind}</label>
        <select id="new-kind" name="kind">
          {Object.entries(c.open.kinds).map(([kind, words]) => <option value={kind} key={kind}>{words}</option>)}
        </select>
      </p>
      <p class="field">
        <label for="new-disguise">{c.open.disguise}</label>
        <select id="new-disguise" name="disguise">
          {Object.entries(c.open.disguises).map(([kind, words]) => <option value={kind} key={kind}>{words}</option>)}
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
