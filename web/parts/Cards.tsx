/** A hand of cards; each can be held. */
import { Card } from "../look/cards.tsx";
import { v } from "../words/poker.ts";

interface CardsProps {
  cards: readonly number[];
  held: readonly boolean[];
  choosing: boolean;
  toggle: (place: number) => void;
  /** What to say before there are any. */
  empty: string;
}

export function Cards({ cards, held, choosing, toggle, empty }: CardsProps) {
  return (
    <div class="cards" role="group" aria-label={v.table.cards}>
      {!cards.length && <p class="mute">{empty}</p>}
      {cards.map((card, i) => (
        <button
          type="button"
          class={held[i] ? "pick held" : "pick"}
          disabled={!choosing}
          aria-pressed={held[i]}
          onClick={() => toggle(i)}
          key={i}
        >
          <Card card={card} width={92} />
          {choosing && (
            <span class="small">
              <kbd>{i + 1}</kbd> {held[i] ? v.table.held : v.table.replaced}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
