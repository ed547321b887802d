/** A table that has not begun: who is there, and which seats are free. */
import { useEffect, useState } from "preact/hooks";
import { arena, type SeatView } from "../arena/api.ts";
import type { Live } from "../arena/live.ts";
import { sitDown } from "../arena/sit.ts";
import { useGame } from "../games/generic.tsx";
import { Copy } from "../parts/Strip.tsx";
import { told, w } from "../words.ts";
import { go } from "./route.ts";
import { ProblemNote } from "./table.tsx";

export function OpenTable({ live }: { live: Live }) {
  const [view, setView] = useState<SeatView | null>(null);
  useEffect(() => {
    let here = true;
    arena.table(live.id).then((view) => here && setView(view), () => {});
    return () => void (here = false);
  }, [live, live.seatView.value]);
  const shown = live.seatView.value ?? view;
  const game = useGame(shown?.game ?? "");
  const problem = live.problem.value;
  const free = shown?.seats?.filter(({ open }) => open).length ?? 0;
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1>{told(game?.title ?? w.name)}</h1>
      {problem && <ProblemNote problem={problem} />}
      {!shown && !problem && <p class="mute">{w.working}</p>}
      {shown && (
        <section class="card pane">
          <p>{w.table.openSeats}</p>
          <ul class="list">
            {shown.seats.map(({ name, open }, i) => (
              <li key={i}>
                <span class={open ? "seat free" : "seat"}>{open ? w.play.anyone : told(name)}</span>
              </li>
            ))}
          </ul>
          {!live.secret && free > 0 && game && (
            <button
              type="button"
              class="btn go"
              onClick={async () =>
                go(
                  await sitDown(
                    game,
                    live.id,
                    shown.seats.filter(({ open }) => !open).map(({ name }) => name),
                  ),
                )}
            >
              {w.lobby.sit}
            </button>
          )}
          {live.secret && (
            <>
              <p class="small mute">{w.table.invite}</p>
              <p class="mono">{`${location.origin}/#/table/${live.id}`}</p>
              <Copy text={() => `${location.origin}/#/table/${live.id}`} words={w.strip.copyReceipt} />
            </>
          )}
        </section>
      )}
    </main>
  );
}
