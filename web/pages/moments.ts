/** A moment of a record, ready to be drawn: live, in replay and from a file alike. */
import type { Live } from "../arena/live.ts";
import type { Told } from "../arena/record.ts";
import { type Moment, sealedAt } from "../games/game.ts";

/** The moment behind a line. Without `live`, somebody looks at a file. */
export function momentAt(told: Told, line: number, live: Live | null, now: boolean): Moment {
  const seatView = live?.seatView.value ?? null;
  const me = seatView?.seat ?? null;
  const sealed = sealedAt(told, line);
  const asked = now && !!live?.ask.value && live.mine.value;
  const question = now ? live?.question.value ?? "" : "";
  return {
    view: told.views[Math.min(line, told.views.length) - 1] ?? null,
    told,
    line,
    names: told.seats.map(({ name }) => name),
    me,
    sealed,
    ownSealed: now && me !== null && (sealed.includes(me) || live?.sending.value) ? live?.lastSealed() : undefined,
    live: now,
    asked,
    question,
    play: (move) => void live?.play(move, question),
    hint: live?.hint.value ?? null,
    advise: asked && live && !live.hint.value ? () => void live.advise() : null,
    seatView: now ? seatView : null,
  };
}
