/** All tables that are listed, newest first, a page at a time. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { arena, type Game, games } from "../arena/api.ts";
import { useRows } from "../parts/rows.ts";
import { told, w } from "../words.ts";
import { t } from "../words/tables.ts";
import { problem, TableLine } from "./lobby.tsx";

const ALL = "open,playing,over";

export function TablesPage() {
  const [all, setAll] = useState<Game[]>([]);
  const [state, setState] = useState("");
  const [game, setGame] = useState("");
  useEffect(() => {
    document.title = `${t.title} · ${w.name}`;
    problem.value = "";
    games().then(setAll, () => {});
  }, []);
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1>{t.title}</h1>
      <p class="lead">{t.lead}</p>
      {problem.value && <p class="notice bad" role="alert">{told(problem.value)}</p>}
      <div class="filters">
        <p class="field">
          <label for="which-state">{t.state}</label>
          <select id="which-state" value={state} onChange={(event) => setState(event.currentTarget.value)}>
            {Object.entries(t.states).map(([name, words]) => <option value={name} key={name}>{words}</option>)}
          </select>
        </p>
        <p class="field">
          <label for="which-game">{t.game}</label>
          <select id="which-game" value={game} onChange={(event) => setGame(event.currentTarget.value)}>
            <option value="">{t.anyGame}</option>
            {all.map(({ name, title }) => <option value={name} key={name}>{told(`${title} (${name})`)}</option>)}
          </select>
        </p>
      </div>
      <Tables state={state} game={game} all={all} key={`${state} ${game}`} />
    </main>
  );
}

function Tables({ state, game, all }: { state: string; game: string; all: Game[] }) {
  const { rows, more, trouble } = useRows(async (after: number | null) => {
    const { tables, next } = await arena.allTables(state || ALL, game, after ?? 0);
    return { rows: tables, next };
  });
  return (
    <section class="card pane" aria-label={t.title}>
      {trouble && <p class="notice bad" role="alert">{told(trouble)}</p>}
      {!rows && !trouble && <p class="mute">{w.working}</p>}
      {rows?.length === 0 && <p class="mute">{t.none}</p>}
      <ul class="list" data-rows={rows?.length}>
        {rows?.map((row) => <TableLine row={row} game={all.find(({ name }) => name === row.game)} key={row.id} />)}
      </ul>
      {more && <button type="button" class="btn" onClick={more}>{t.more}</button>}
    </section>
  );
}
