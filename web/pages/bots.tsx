/** A bot in five minutes, with this arena's own addresses filled in, and a live view of what it does. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../arena/api.ts";
import { openContest } from "../arena/contests.ts";
import { keepThing, thing } from "../arena/secrets.ts";
import { say } from "../parts/Say.tsx";
import { useStandings } from "../parts/standings.ts";
import { copy } from "../parts/Strip.tsx";
import { told, w } from "../words.ts";
import { c } from "../words/contests.ts";
import { StandingsCard } from "./contest.tsx";

const PRACTICE = [
  { base: 6, length: 4, games: 2 },
  { base: 4, length: 3, games: 1 },
];

/** Language, the file that every arena hands out, and what runs it. */
const BOTS = [
  ["Python", "python_bot.py", "python3 python_bot.py"],
  ["JavaScript", "bot.js", "node bot.js"],
  ["Java", "Bot.java", "java Bot.java"],
  ["bash", "bot.sh", "bash bot.sh"],
] as const;

export function BotsPage() {
  const [contest, setContest] = useState("");
  const [refused, setRefused] = useState("");
  const [language, setLanguage] = useState(0);
  useEffect(() => {
    document.title = `${c.bots.title} · ${w.name}`;
    void thing("practice").then((id) => setContest((id as string | undefined) ?? ""));
  }, []);
  const open = async () => {
    setRefused("");
    try {
      const id = await openContest(PRACTICE, 3600);
      await keepThing("practice", id);
      setContest(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setRefused(error.detail);
    }
  };
  const watch = contest ? `${location.origin}/contest/${contest}` : "";
  const [, file, command] = BOTS[language];
  const lines = `curl -O ${location.origin}/page/${file}\n${command} ${watch || "CONTEST"} MyTeam 1.0`;
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <h1>{c.bots.title}</h1>
      <p class="lead">{c.bots.lead}</p>
      <div class="cols two-one">
        <div class="stack">
          <section class="card pane stack">
            <h2>{c.bots.first}</h2>
            <p>{c.bots.firstText}</p>
            {watch && (
              <p>
                {c.bots.made} <a class="mono" href={`#/contest/${contest}`}>{watch}</a>
              </p>
            )}
            {refused && <p class="notice bad" role="alert">{told(refused)}</p>}
            <p class="acts">
              <button type="button" class={watch ? "btn" : "btn go"} onClick={() => void open()}>{c.bots.make}</button>
            </p>
          </section>
          <section class="card pane stack">
            <h2>{c.bots.second}</h2>
            <p>{c.bots.secondText}</p>
            <div class="acts" role="group" aria-label={c.bots.second}>
              {BOTS.map(([name], i) => (
                <button
                  type="button"
                  class="btn"
                  aria-pressed={i === language}
                  key={name}
                  onClick={() => setLanguage(i)}
                >
                  {name}
                </button>
              ))}
            </div>
            <pre tabIndex={0}>{lines}</pre>
            <p class="acts">
              <button
                type="button"
                class="btn"
                onClick={() => void copy(lines).then(() => say(c.bots.copied))}
              >
                {c.bots.copy}
              </button>
              <a class="btn quiet" href={`/page/${file}`}>{file}</a>
            </p>
          </section>
        </div>
        <div class="stack">
          <section class="card pane stack" aria-labelledby="live-view">
            <h2 id="live-view">{c.bots.third}</h2>
            <p>{c.bots.thirdText}</p>
            {contest ? <Live id={contest} key={contest} /> : <p class="mute">{c.bots.nothing}</p>}
          </section>
          <section class="card pane stack">
            <h2>{c.bots.fourth}</h2>
            <ul>{c.bots.facts.map((fact) => <li key={fact}>{fact}</li>)}</ul>
            <p>
              <a href="/schema">{c.bots.api}</a>
            </p>
          </section>
        </div>
      </div>
    </main>
  );
}

function Live({ id }: { id: string }) {
  const standings = useStandings(id);
  return (
    <>
      {standings?.final && <p class="notice">{c.bots.over}</p>}
      <StandingsCard standings={standings} games={standings?.games ?? 3} />
    </>
  );
}
