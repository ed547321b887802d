/** Advice on a hand of cards, counted in this browser: before the choice if it is asked for, and behind it. */
import { useEffect, useState } from "preact/hooks";
import { counting, type Hold, worth } from "../desk/holds.ts";
import { choice } from "../desk/shown.ts";
import { cardName } from "../look/cards.tsx";
import { listed, w } from "../words.ts";
import { d } from "../words/croupier.ts";
import { say } from "./Say.tsx";
import { inTurns } from "./turns.ts";

/** All ways to hold the present hand, the best first, as soon as they are counted. */
function useHolds(): Hold[] | null {
  const of = choice.value;
  const [found, setFound] = useState<{ dealt: readonly number[]; holds: Hold[] } | null>(null);
  const name = `${of?.dealt.join()} ${of?.level}`;
  useEffect(() => {
    if (!of) return;
    let here = true;
    void inTurns(counting(of.dealt, of.level), () => here).then((holds) => {
      if (here && holds) setFound({ dealt: of.dealt, holds });
    });
    return () => void (here = false);
  }, [name]);
  return found && found.dealt.join() === of?.dealt.join() ? found.holds : null;
}

const kept = (dealt: readonly number[], order: readonly number[]) =>
  d.advice.keep(listed(dealt.filter((_, place) => !order[place]).map(cardName)), order.filter(Boolean).length);
const inChips = (hold: Hold, bet: number) => (bet * worth(hold)).toFixed(2);

/** What the coach would keep. */
export function Advice() {
  const holds = useHolds(), of = choice.value;
  const [best, second] = holds ?? [];
  const words = of && best ? d.advice.best(kept(of.dealt, best.order), inChips(best, of.bet), of.bet * of.level) : "";
  useEffect(() => {
    if (words) say(words);
  }, [words]);
  if (!of || !best) return <p class="mute" role="status">{w.working}</p>;
  return (
    <section class="card pane hintbox">
      <div class="head">
        <h2>{w.table.coach}</h2>
        <span class="tag">{w.table.exact}</span>
      </div>
      <p>{words}</p>
      <p class="small">{d.advice.next(kept(of.dealt, second.order), inChips(second, of.bet))}</p>
      <p class="small mute">{d.advice.how}</p>
    </section>
  );
}

/** What the choice was worth, when the hand is over. */
export function Afterwards() {
  const holds = useHolds(), of = choice.value;
  const mine = of?.order && holds?.find(({ order }) => order.join() === of.order?.join());
  if (!of || !holds || !mine) return null;
  const [best] = holds;
  return (
    <p class="small mute" data-cost={of.bet * (worth(best) - worth(mine))}>
      {best.prizes * mine.hands === mine.prizes * best.hands
        ? d.advice.right(inChips(mine, of.bet), of.bet * of.level)
        : d.advice.wrong(inChips(mine, of.bet), kept(of.dealt, best.order), inChips(best, of.bet))}
    </p>
  );
}
