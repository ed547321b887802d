/** Video poker: five cards, of which some are kept. The Blind Croupier's records are drawn by it too. */
import type { PokerView } from "../check/games/poker.ts";
import { cardName } from "../look/cards.tsx";
import { CardScene } from "../look/scenes.tsx";
import { Cards } from "../parts/Cards.tsx";
import { useChoice } from "../parts/choice.ts";
import { useKeys } from "../parts/Keys.tsx";
import { Plate } from "../parts/Plate.tsx";
import { w } from "../words.ts";
import { v } from "../words/poker.ts";
import type { GamePage, Moment } from "./game.ts";

type At = Moment<PokerView>;
const NONE = [false, false, false, false, false];

function Table(at: At) {
  const { view, asked, question, me, play, advise } = at;
  const [held, hold] = useChoice<readonly boolean[]>(question, NONE);
  const order = held.map((one) => one ? 0 : 1);
  const toggle = (place: number) => hold((now) => now.map((one, i) => i === place ? !one : one));
  const draw = () => asked && play(order);
  const shown = view.order ? view.order.map((one) => !one) : held;
  useKeys(
    asked
      ? [
        ...NONE.map((_, i) => ({ key: String(i + 1), does: v.table.toggle(i + 1), run: () => toggle(i) })),
        { key: "Enter", does: v.table.draw(order.filter(Boolean).length), run: draw },
      ]
      : [],
  );
  return (
    <section class="felt poker" aria-label={w.table.label}>
      {[0, 1].map((seat) => seat !== me && <Plate at={at} seat={seat} key={seat} />)}
      <Cards cards={view.hand} held={shown} choosing={asked} toggle={toggle} empty={v.table.empty} />
      {asked && (
        <div class="act">
          <button type="button" class="btn go" onClick={draw}>
            {v.table.draw(order.filter(Boolean).length)} <kbd>Enter</kbd>
          </button>
          {advise && (
            <button type="button" class="btn" onClick={advise}>
              {w.table.hint} <kbd>H</kbd>
            </button>
          )}
        </div>
      )}
      {me !== null && <Plate at={at} seat={me} />}
    </section>
  );
}

export const poker: GamePage<PokerView> = {
  names: ["poker/2", "bank-poker/1"],
  pitch: v.pitch,
  facts: v.facts,
  Picture: CardScene,
  art: "poker",
  rivals: ["random"],
  Table,
  state: ({ view, asked }) => {
    if (!view.hand.length) return v.table.empty;
    const cards = `${view.hand.map(cardName).join(", ")}.`;
    if (asked) return `${cards} ${v.table.choose}`;
    return view.order && view.pays !== null ? `${cards} ${v.pays(view.bet * view.pays)}` : cards;
  },
  result: ({ view }) => view.order && view.pays !== null ? v.result(view.bet * view.pays, view.bet * view.level) : "",
  tell: (event, at) => {
    if (event.kind === "dealt") return at.view.order ? v.drawn : v.dealt;
    if (event.kind !== "move" || !Array.isArray(event.move)) return null;
    return v.orders(at, event.seat as number, event.move.filter((one) => one === 1).length);
  },
};
