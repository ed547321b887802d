/** A new game in full: who sits where, and how it is played. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { type Game, games, Problem } from "../arena/api.ts";
import { openTable, type Sitter } from "../arena/sit.ts";
import type { Json } from "../check/json.ts";
import { pageFor } from "../games/index.ts";
import { useFields } from "../parts/Form.tsx";
import { Nothing } from "../parts/Nothing.tsx";
import { playerName, told, w } from "../words.ts";
import { newest, rolesOf } from "./lobby.tsx";
import { go } from "./route.ts";
import { ProblemNote } from "./table.tsx";

export function PlayPage({ name }: { name: string }) {
  const [all, setAll] = useState<Game[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => void games().then(setAll, setProblem), []);
  const game = name ? all.find((one) => one.name === name) : newest(all)[0];
  if (all.length && !game) return <Nothing words={w.play.none} />;
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      {problem && <ProblemNote problem={problem} />}
      {game ? <Setup game={game} all={newest(all)} key={game.name} /> : !problem && <p class="mute">{w.working}</p>}
    </main>
  );
}

/** Which parameter says how many seats there are, where the number may vary. */
function countName(game: Game): string | null {
  return game.roles.some(({ least, most }) => most > least) && game.params.properties?.players ? "players" : null;
}

function Setup({ game, all }: { game: Game; all: readonly Game[] }) {
  const page = pageFor(game.name);
  const counted = countName(game);
  const [seats, setSeats] = useState(rolesOf(game).length);
  const roles = rolesOf(game, seats);
  const [taken, setTaken] = useState<{ [seat: number]: string }>({});
  const [listed, setListed] = useState(true);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const { fields, value } = useFields(game.params, counted ? [counted] : []);
  useEffect(() => {
    document.title = `${w.play.title(game.title)} · ${w.name}`;
  }, [game]);
  /** Who can sit there with these parameters: some players are for one kind of game only. */
  const offered = (seat: number): { name: string; sentence: string }[] => {
    const special = (page.quick ?? []).filter(({ params = {}, seat: mine = roles.length - 1 }) => {
      const there = Object.entries(params);
      return mine !== seat && there.length > 0 && there.every(([name, wanted]) => value[name] === wanted);
    });
    if (special.length && seat === 0) return special.map(({ player, words }) => ({ name: player, sentence: words }));
    return roles[seat].players;
  };
  const best = (seat: number) => {
    const names = offered(seat).map((one) => one.name);
    return page.rivals.find((one) => names.includes(one)) ?? names[0];
  };
  const sitter = (seat: number) => {
    const one = taken[seat] ?? (seat === roles.length - 1 ? "you" : best(seat));
    return ["you", "open"].includes(one) || offered(seat).some(({ name }) => name === one) ? one : best(seat);
  };
  const open = async () => {
    const params: { [name: string]: Json } = { ...value };
    if (counted) params[counted] = seats;
    const sitters: Sitter[] = roles.map((_, seat) => {
      const one = sitter(seat);
      return one === "you" ? { you: true } : one === "open" ? { open: true } : { player: one };
    });
    setBusy(true);
    setProblem("");
    try {
      go(await openTable(game, params, sitters, listed));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
    }
    setBusy(false);
  };
  const sit = (seat: number, who: string) => {
    const next: { [seat: number]: string } = { ...taken, [seat]: who };
    for (let other = 0; other < roles.length; other++) {
      const now = next[other] ?? (other === roles.length - 1 ? "you" : "");
      if (other !== seat && who === "you" && now === "you") next[other] = best(other);
    }
    setTaken(next);
  };
  return (
    <>
      <h1>{told(game.title)}</h1>
      <p class="lead">{page.pitch || told(game.summary)}</p>
      <p class="picker">
        {all.map((one) => (
          <a
            class="btn"
            href={`#/play/${encodeURIComponent(one.name)}`}
            aria-current={one.name === game.name ? "page" : undefined}
            key={one.name}
          >
            {told(one.title)}
          </a>
        ))}
      </p>
      <form
        class="setup"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <fieldset class="card pane">
          <legend>{w.play.who}</legend>
          {counted && (
            <div class="field">
              <label for="seats">{w.play.seats}</label>
              <input
                id="seats"
                type="number"
                min={game.roles.reduce((sum, { least }) => sum + least, 0)}
                max={8}
                value={seats}
                onInput={(event) => setSeats(Math.max(2, Math.min(8, Number(event.currentTarget.value) || 2)))}
              />
            </div>
          )}
          {roles.map((role, seat) => (
            <div class="field" key={seat}>
              <label for={`seat-${seat}`}>{w.play.seat(seat + 1, told(role.name))}</label>
              <select
                id={`seat-${seat}`}
                value={sitter(seat)}
                onChange={(event) => sit(seat, event.currentTarget.value)}
              >
                <option value="you">{w.play.you}</option>
                <option value="open">{w.play.anyone}</option>
                {offered(seat).map(({ name, sentence }) => (
                  <option value={name} key={name}>{playerName(name)}: {told(sentence)}</option>
                ))}
              </select>
            </div>
          ))}
          <p class="small mute">{w.play.chain}</p>
        </fieldset>
        {fields.length > 0 && (
          <fieldset class="card pane">
            <legend>{w.play.params}</legend>
            {fields}
          </fieldset>
        )}
        <label class="check">
          <input type="checkbox" checked={listed} onChange={(event) => setListed(event.currentTarget.checked)} />{" "}
          {w.play.listed}
        </label>
        {problem && <p class="notice bad" role="alert">{w.play.refused} {told(problem)}</p>}
        <button type="submit" class="btn go" disabled={busy}>{w.play.open}</button>
      </form>
    </>
  );
}
