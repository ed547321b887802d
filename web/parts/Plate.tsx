/** The plate of a seat: who sits there, and what they lend to chance. And a bar of three parts. */
import type { Moment } from "../games/game.ts";
import { told, w } from "../words.ts";

/** A time bank of more seconds than this is no matter. */
const SHOWN = 3600;

/** You are a square, everybody else a circle: never by colour alone. */
export function Plate({ at, seat }: { at: Moment; seat: number }) {
  const { by, lends, name } = at.told.seats[seat] ?? { by: "self", lends: "nothing", name: "?" };
  const mine = seat === at.me;
  const left = at.live ? at.seatView?.seats?.[seat]?.left : undefined;
  const gone = at.told.lines.slice(0, at.line).some(({ event }) => event.kind === "forfeit" && event.seat === seat);
  return (
    <div class="plate">
      <span class={mine ? "tag you" : "tag house"}>{mine ? w.table.you(name) : told(name)}</span>
      <span class="small mute opt">
        {gone
          ? w.table.gone
          : mine && lends === "chain"
          ? w.table.yourChain
          : by === "house"
          ? w.table.byHouse
          : w.table.lends[lends]}
      </span>
      {typeof left === "number" && left <= SHOWN && <span class="clock">{w.table.left(left)}</span>}
    </div>
  );
}

/** Wins, ties and losses as one bar. The numbers stand beside it. */
export function Bar({ parts }: { parts: readonly [number, number, number] }) {
  return (
    <div class="b" aria-hidden="true">
      {parts.map((part, i) => <i class={["k-you", "k-tie", "k-house"][i]} style={{ flexGrow: part }} key={i} />)}
    </div>
  );
}
