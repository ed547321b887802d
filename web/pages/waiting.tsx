/** A table that has not begun: who is there, and which seats are free. */
import { useEffect, useState } from "preact/hooks";
import { arena, Problem, type SeatView } from "../arena/api.ts";
import type { Live } from "../arena/live.ts";
import { sitDown } from "../arena/sit.ts";
import { useGame } from "../games/generic.tsx";
import { Nothing } from "../parts/Nothing.tsx";
import { Copy } from "../parts/Strip.tsx";
import { told, w } from "../words.ts";
import { go } from "./route.ts";
import { ProblemNote } from "./table.tsx";

export function OpenTable({ live }: { live: Live }) {
  const [view, setView] = useState<SeatView | null>(null);
  const [refused, setRefused] = useState<Problem | null>(null);
  const attempt = (work: () => Promise<void>) =>
    void work().catch((error) => {
      if (!(error instanceof Problem)) throw error;
      setRefused(error);
    });
  useEffect(() => {
    let here = true;
    arena.table(live.id).then((view) => here && setView(view), () => {});
    return () => void (here = false);
  }, [live, live.seatView.value]);
  const shown = live.seatView.value ?? view;
  const game = useGame(shown?.game ?? "");
  const problem = live.problem.value ?? refused;
  const free = shown?.seats?.filter(({ open }) => open).length ?? 0;
  const getUp = () => attempt(async () => void (await live.getUp() && go("#/")));
  if (problem?.status === 404) {
    return (
      <Nothing words={w.table.none}>
        {live.kept.value?.lines === 0 && (
          <p>
            {w.table.neverBegan} <button type="button" class="btn" onClick={getUp}>{w.table.forget}</button>
          </p>
        )}
      </Nothing>
    );
  }
  const me = live.seatView.value?.seat;
  const alone = shown?.seats.every(({ open, player }, seat) => open || player || seat === me);
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
                <span class={open ? "seat free" : "seat"}>
                  {open ? w.play.anyone : i === me ? w.table.you(name) : told(name)}
                </span>
              </li>
            ))}
          </ul>
          {!live.secret && free > 0 && game && (
            <button
              type="button"
              class="btn go"
              onClick={() =>
                attempt(async () =>
                  go(
                    await sitDown(
                      game,
                      live.id,
                      shown.seats.filter(({ open }) => !open).map(({ name }) => name),
                    ),
                  )
                )}
            >
              {w.lobby.sit}
            </button>
          )}
          {live.secret && (
            <>
              <p class="small mute">{w.table.invite}</p>
              <p class="mono" data-here>{`${location.origin}/#/table/${live.id}`}</p>
              <div class="acts">
                <Copy text={() => `${location.origin}/#/table/${live.id}`} words={w.strip.copyReceipt} />
                <button type="button" class="btn quiet" onClick={getUp}>
                  {alone ? w.table.takeDown : w.table.getUp}
                </button>
              </div>
            </>
          )}
        </section>
      )}
    </main>
  );
}
