/** The lobby: the games, what you play, where you can sit down, what is going on. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { arena, type ContestRow, type Game, games, Problem, type SeatView, type TableRow } from "../arena/api.ts";
import type { Standings } from "../arena/contests.ts";
import { positions, sits } from "../arena/learning.ts";
import { allKept, type Kept, onChange } from "../arena/secrets.ts";
import { openTable, ownName, seatHash, sitDown, type Sitter } from "../arena/sit.ts";
import { follow, type News } from "../arena/stream.ts";
import type { Quick } from "../games/game.ts";
import { GAME_PAGES, pageFor } from "../games/index.ts";
import { poker } from "../games/poker.tsx";
import { PlainScene } from "../look/scenes.tsx";
import { Tick } from "../look/seals.tsx";
import { Drop } from "../parts/Drop.tsx";
import { hasInterval, Intervals, type Row } from "../parts/Intervals.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { useStandings } from "../parts/standings.ts";
import { listed, playerName, told, w } from "../words.ts";
import { v } from "../words/poker.ts";
import { go } from "./route.ts";

/** The newest version of each game, in the order of our pages, then the others. */
export function newest(all: readonly Game[]): Game[] {
  const found = new Map<string, Game>();
  for (const game of all) found.set(game.name.split("/")[0], game);
  const rank = ({ name }: Game) => {
    const place = GAME_PAGES.findIndex(({ names }) => names.includes(name));
    return place < 0 ? GAME_PAGES.length : place;
  };
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/** The seats of a game as roles, as few as it needs. */
export function rolesOf(game: Game, seats?: number): Game["roles"][number][] {
  return game.roles.flatMap((role) => {
    const others = game.roles.filter((one) => one !== role).reduce((sum, { least }) => sum + least, 0);
    const count = seats ? Math.max(role.least, Math.min(role.most, seats - others)) : role.least;
    return Array.from({ length: count }, () => role);
  });
}

/** The players that can sit across from us, the fitting ones first. */
export function rivals(game: Game, seat: number): string[] {
  const offered = rolesOf(game)[seat]?.players.map(({ name }) => name) ?? [];
  const { rivals } = pageFor(game.name);
  const best = rivals.filter((name) => offered.includes(name));
  return [...best, ...offered.filter((name) => !best.includes(name))];
}

/** What can be played with one click. */
export function quicks(game: Game): Quick[] {
  const { quick } = pageFor(game.name);
  return quick ? [...quick] : rivals(game, 0).map((player) => ({ words: w.lobby.vs(playerName(player)), player }));
}

/** Opens a game at once: we sit last, if nothing else is said; players of the house in all other seats. */
export async function start(game: Game, { player, params, seat }: Quick): Promise<void> {
  const roles = rolesOf(game);
  const mine = seat ?? roles.length - 1;
  const sitters: Sitter[] = roles.map((_, i) => i === mine ? { you: true } : { player });
  go(await openTable(game, params ?? {}, sitters, true));
}

export const problem = signal("");

function attempt(work: () => Promise<unknown>): void {
  problem.value = "";
  work().catch((error) => {
    if (!(error instanceof Problem)) throw error;
    problem.value = error.detail;
  });
}

/** Rows after news of them: those that changed come first, those that are gone leave. */
function after<Row extends { id: string }>(before: Row[], changed: Row[], { all, gone }: News): Row[] {
  const ids = new Set([...(gone ?? []) as string[], ...changed.map(({ id }) => id)]);
  return all ? changed : [...changed, ...before.filter(({ id }) => !ids.has(id))];
}

const tablesAfter = (before: TableRow[], news: News) => after(before, (news.tables ?? []) as TableRow[], news);
const contestsAfter = (before: ContestRow[], news: News) =>
  Array.isArray(news.contests) ? after(before, news.contests as ContestRow[], news) : before;

export function Lobby() {
  const [all, setAll] = useState<Game[]>([]);
  const [tables, setTables] = useState<TableRow[]>([]);
  const [contests, setContests] = useState<ContestRow[]>([]);
  const [mine, setMine] = useState<Kept[]>([]);
  const [due, setDue] = useState(0);
  useEffect(() => {
    document.title = `${w.name}: ${w.lobby.title}`;
    const look = () => {
      allKept().then(setMine, () => {});
      positions().then((all) => setDue(all.filter((one) => !sits(one)).length), () => {});
    };
    look();
    return onChange(look);
  }, []);
  useEffect(() => {
    let meanwhile: News[] | null = null;
    const load = async () => {
      const since: News[] = meanwhile = [];
      try {
        const [known, { tables }, { contests }] = await Promise.all([games(), arena.tables(), arena.contests()]);
        if (meanwhile !== since) return; // we have asked again
        problem.value = "";
        setAll(known);
        // News that came while we asked may be newer than the answers.
        setTables(since.reduce(tablesAfter, tables));
        setContests(since.reduce(contestsAfter, contests));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problem.value = error.detail;
      }
      if (meanwhile === since) meanwhile = null;
    };
    void load();
    return follow("lobby", {
      missed: () => void load(),
      news: (news) => {
        meanwhile?.push(news);
        setTables((before) => tablesAfter(before, news));
        setContests((before) => contestsAfter(before, news));
      },
    });
  }, []);
  useKeys([{
    key: "n",
    does: w.keys.openTable,
    run: () => go(`#/play/${encodeURIComponent(newest(all)[0]?.name ?? "")}`),
  }]);
  const own = new Set(mine.map(({ id }) => id));
  const open = tables.filter(({ state, id }) => state === "open" && !own.has(id)).slice(0, 6);
  const playing = tables.filter(({ state, id }) => state === "playing" && !own.has(id)).slice(0, 4);
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <section class="hero">
        <div>
          <h1>{w.lobby.headline}</h1>
          <p class="lead">{w.lobby.lead}</p>
        </div>
        <aside class="note card">
          <strong>{w.lobby.cannot}</strong> {w.lobby.cannotText} <a href="#/verify">{w.lobby.wholeList}</a>
        </aside>
      </section>
      {problem.value && <p class="notice bad" role="alert">{told(problem.value)}</p>}
      <section aria-labelledby="games-title">
        <h2 id="games-title" class="sr">{w.lobby.games}</h2>
        <div class="games">
          {newest(all).filter(({ name }) => !poker.names.includes(name)).map((game, i) => (
            <GameCard game={game} wide={i < 2} key={game.name} />
          ))}
          <CroupierCard />
        </div>
      </section>
      <section class="cols">
        <div class="card pane">
          <Yours kept={mine} due={due} />
          <div class="head">
            <h2>{w.lobby.open}</h2>
            <a class="btn quiet" href={`#/play/${encodeURIComponent(newest(all)[0]?.name ?? "")}`}>
              {w.lobby.openOne} <kbd>N</kbd>
            </a>
          </div>
          {!open.length && <p class="mute small">{w.lobby.noneOpen}</p>}
          <ul class="list" hidden={!open.length && !playing.length}>
            {[...open, ...playing].map((row) => (
              <TableLine
                row={row}
                game={all.find(({ name }) => name === row.game)}
                key={row.id}
              />
            ))}
          </ul>
          <p class="small">
            <a href="#/tables">{w.lobby.allTables}</a>
          </p>
        </div>
        <div class="card pane" id="contests">
          <div class="head">
            <h2>{w.lobby.contests}</h2>
            <a class="small" href="#/contests">{w.lobby.allContests}</a>
          </div>
          {!contests.length && <p class="mute small">{w.lobby.noContests}</p>}
          {contests.slice(0, 3).map((contest) => <Contest contest={contest} key={contest.id} />)}
        </div>
        <div class="card pane drop">
          <div class="head">
            <h2>{w.lobby.check}</h2>
          </div>
          <Drop />
          <p class="small mute">
            {w.drop.keep} <a href="/verify.html">verify.html</a>, {w.drop.keepAfter}
          </p>
        </div>
      </section>
    </main>
  );
}

function GameCard({ game, wide }: { game: Game; wide: boolean }) {
  const page = pageFor(game.name);
  const named = page.names.length > 0;
  const seats = rolesOf(game).length;
  const choices = quicks(game);
  const [chosen, setChosen] = useState(0);
  const [busy, setBusy] = useState(false);
  const id = `rival-${game.name.replace(/\W/g, "-")}`;
  return (
    <article class={wide ? "game card wide" : "game card"}>
      <div class={`art ${page.art}`}>{named ? <page.Picture /> : <PlainScene letter={game.title.charAt(0)} />}</div>
      <div class="body">
        <div class="row">
          <h3>{told(game.title)}</h3>
          <span class="tag">{named ? page.facts : w.lobby.seats(seats)}</span>
        </div>
        <p>{named ? page.pitch : told(game.summary)}</p>
        <div class="acts">
          <button
            type="button"
            class="btn go"
            disabled={busy}
            onClick={() => {
              setBusy(true);
              attempt(() => start(game, choices[chosen]).finally(() => setBusy(false)));
            }}
            aria-label={`${w.lobby.play} ${told(game.title)}`}
          >
            {busy ? w.working : w.lobby.play}
          </button>
          <span class="against">
            <label class="sr" for={id}>{w.lobby.opponent(told(game.title))}</label>
            <select
              id={id}
              class="btn"
              value={choices[chosen]?.words}
              onChange={(event) => setChosen(event.currentTarget.selectedIndex)}
            >
              {choices.map(({ words }) => <option value={words} key={words}>{words}</option>)}
            </select>
          </span>
          <a
            class="btn quiet"
            href={`#/play/${encodeURIComponent(game.name)}`}
            aria-label={`${w.lobby.more}: ${told(game.title)}`}
          >
            {w.lobby.moreShort}
          </a>
        </div>
      </div>
    </article>
  );
}

/** Video poker is played at the Croupier's desk, where no house shuffles. */
function CroupierCard() {
  return (
    <article class="game card">
      <div class={`art ${poker.art}`}>
        <poker.Picture />
      </div>
      <div class="body">
        <div class="row">
          <h3>{v.croupier}</h3>
          <span class="tag">{poker.facts}</span>
        </div>
        <p>{v.croupierPitch}</p>
        <div class="acts">
          <a class="btn go" href="#/croupier" aria-label={`${w.lobby.play} ${v.croupier}`}>{w.lobby.play}</a>
        </div>
      </div>
    </article>
  );
}

/** So many of one's own games are shown at first. */
const SHOWN = 6;

/** One's own games as they stand now, not as this browser last saw them. */
function useMine(kept: readonly Kept[]): Kept[] {
  const [asked, setAsked] = useState<{ [id: string]: boolean }>({});
  const open = kept.filter(({ state }) => state !== "over").slice(0, SHOWN);
  useEffect(() => {
    const stops = open.map(({ id, secret }) =>
      follow(`seat:${id}/${secret}`, {
        missed: () => {},
        news: ({ seat }) => seat && setAsked((before) => ({ ...before, [id]: (seat as SeatView).asks.length > 0 })),
      })
    );
    return () => stops.forEach((stop) => stop());
  }, [open.map(({ id }) => id).join()]);
  return kept.map((one) => one.state === "theirs" && asked[one.id] ? { ...one, state: "yours" as const } : one)
    .sort(firstMine);
}

const ORDER = { yours: 0, theirs: 1, over: 2 };
const firstMine = (a: Kept, b: Kept) => ORDER[a.state] - ORDER[b.state] || b.opened - a.opened;

function Yours({ kept, due }: { kept: readonly Kept[]; due: number }) {
  const mine = useMine(kept);
  const [all, setAll] = useState(false);
  return (
    <>
      <div class="head">
        <h2>{w.lobby.yours}</h2>
        {due > 0
          ? <a class="btn quiet" href="#/practise">{w.lobby.practise(due)}</a>
          : <span class="small mute">{w.lobby.keptHere}</span>}
      </div>
      {!mine.length && <p class="mute small">{w.lobby.noneYours}</p>}
      <ul class="list mine" hidden={!mine.length}>
        {mine.slice(0, all ? undefined : SHOWN).map((
          { id, secret, game, title, others, state, lines, verdict, result },
        ) => (
          <li key={id}>
            {state === "yours"
              ? <span class="tag you">{w.lobby.yourMove}</span>
              : state === "theirs"
              ? <span class="tag">{w.lobby.waiting}</span>
              : (
                <span class={verdict === "valid" ? "tag ok" : verdict === "invalid" ? "tag bad" : "tag"}>
                  {verdict === "valid" && <Tick />}
                  {w.lobby.verdicts[verdict ?? "cannot be judged"]}
                </span>
              )}
            <span>
              {w.lobby.versus(told(title), others)}
              <span class="mute small">
                {state !== "over"
                  ? lines ? w.lobby.line(lines) : w.lobby.notBegun
                  : pageFor(game).result
                  ? w.lobby.wasPlayed(lines)
                  : w.lobby.results[result ?? "level"]}
              </span>
            </span>
            <a
              class={state === "over" ? "btn" : "btn go"}
              href={seatHash(id, secret)}
              aria-label={`${state === "over" ? w.lobby.look : w.lobby.goOn}: ${w.lobby.versus(told(title), others)}`}
            >
              {state === "over" ? w.lobby.look : w.lobby.goOn}
            </a>
          </li>
        ))}
      </ul>
      {mine.length > SHOWN && !all && (
        <button type="button" class="btn quiet" onClick={() => setAll(true)}>{w.lobby.allYours(mine.length)}</button>
      )}
    </>
  );
}

export function TableLine({ row, game }: { row: TableRow; game?: Game }) {
  const there = row.seats.filter(({ open }) => !open).map(({ name }) => name);
  const free = row.seats.length - there.length;
  const title = told(game?.title ?? row.game);
  const does = row.state === "open" && game ? w.lobby.sit : row.state === "over" ? w.lobby.look : w.lobby.watch;
  const label = `${does}: ${w.lobby.versus(title, there)}`;
  return (
    <li>
      <span class="seat">{told(listed(there) || "–")}</span>
      <span>
        {title}
        <span class="mute small">
          {row.state === "open"
            ? w.lobby.free(free, row.seats.length)
            : row.state === "over"
            ? w.lobby.wasPlayed(row.lines)
            : w.lobby.playing(row.lines)}
        </span>
      </span>
      {row.state === "open" && game
        ? (
          <button
            type="button"
            class="btn"
            aria-label={label}
            onClick={() => attempt(async () => go(await sitDown(game, row.id, there)))}
          >
            {does}
          </button>
        )
        : <a class="btn" href={`#/table/${encodeURIComponent(row.id)}`} aria-label={label}>{does}</a>}
    </li>
  );
}

/** The ranked teams of a contest, as rows with intervals. */
function ranked(standings: Standings | null): Row[] {
  return (standings?.official ?? []).filter(hasInterval).map(({ team_name: name, rank, mean, low, high }) => ({
    rank,
    name,
    mean: Number(mean),
    low: Number(low),
    high: Number(high),
    own: name === ownName.value,
  }));
}

function Contest({ contest }: { contest: ContestRow }) {
  const standings = useStandings(contest.id);
  const parts = contest.parts.map(({ base, length, oracle_type: kind, games }) =>
    w.lobby.part(games, told(kind), base, length)
  );
  return (
    <div class="contest">
      <div class="row">
        <a href={`#/contest/${encodeURIComponent(contest.id)}`}>
          <strong>{told(contest.title ?? "") || w.lobby.contest}</strong>
        </a>
        <span class="tag ok">
          <Tick />
          {w.lobby.committed}
        </span>
      </div>
      <p class="mute small">{parts.join(", ")} · {w.lobby.teams(contest.teams)}</p>
      <Intervals rows={ranked(standings).slice(0, 5)} />
    </div>
  );
}
