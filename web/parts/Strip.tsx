/** The proof strip: the record, a ticket for each line, checked by this browser. */
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { hasHidden, type Told, type Wrong } from "../arena/record.ts";
import type { Line } from "../check/chain.ts";
import { isObject, type Json, type JsonObject } from "../check/json.ts";
import type { GamePage, Moment } from "../games/game.ts";
import { Cross, Tick } from "../look/seals.tsx";
import { grouped, type People, short, told as shown, w } from "../words.ts";
import { otherFault, points as pointsOf } from "../words/verdict.ts";

const plain = (value: Json | undefined) => shown(typeof value === "string" ? value : JSON.stringify(value) ?? "");

/** What a line is called, and what stands below that. */
export function lineWords(event: JsonObject, moment: Moment, game: GamePage): [string, string] {
  const seat = event.seat as number;
  const { told } = moment;
  const people: People = moment;
  // Where no table can be drawn (a very long record, or one that is wrong from its first line), moves have plain words.
  const own = moment.view === null ? null : game.tell(event, moment);
  switch (event.kind) {
    case "start": {
      const tip = isObject(event.public) && typeof event.public.tip === "string"
        ? w.line.tip(event.public.tip)
        : told.dealer;
      return [w.line.start[told.dealer] ?? w.line.opened, tip];
    }
    case "ticket": {
      const ticket = isObject(event.ticket) ? event.ticket : {};
      const bound = typeof ticket.hmac === "string"
        ? w.line.hmac(ticket.hmac)
        : told.dealer === "hash-chains/1"
        ? w.line.bound
        : w.line.unproven;
      return [w.line.ticket(event.run as number), bound];
    }
    case "share": {
      const value = plain(event.value);
      if (event.share === "tip") return [w.line.fixed(people, seat), w.line.tip(value)];
      if (event.share === "next-tip") return [w.line.fixedNext(people, seat), w.line.tip(value)];
      if (event.share === "link") return [w.line.link(people, seat, event.run as number), w.line.hashes(people, seat)];
      if (event.share === "stir") return [w.line.stir(people, seat), short(value)];
      return [w.line.number(people, seat), value];
    }
    case "dealt": {
      const draws = (Array.isArray(event.draws) ? event.draws : []).map((draw) =>
        (Array.isArray(draw) ? draw : []).map((value) => value === null ? "?" : plain(value)) as [string, string]
      );
      const hidden = hasHidden(event);
      const mixed = told.seats.some(({ lends }) => lends !== "nothing");
      const words = hidden ? w.line.hiddenDraw : own ?? w.line.dealt(mixed);
      return [words, w.line.draws(draws)];
    }
    case "seal":
      return [w.line.seal(people, seat), short(plain(event.commitment))];
    case "open":
      return [
        own ?? `${w.line.open(people, seat)}: ${plain(event.move)}`,
        short(plain(event.key)),
      ];
    case "move":
      return [own ?? w.line.move(people, seat, plain(event.move)), ""];
    case "note": {
      const body = isObject(event.body) ? event.body : {};
      const by = typeof body.seat === "number" ? body.seat : null;
      if ("hint" in body) return [w.line.hint(people, by), ""];
      if (typeof body.remark === "string") return [w.line.remark(people, by), `“${shown(body.remark)}”`];
      return [w.line.note, plain(event.body).slice(0, 120)];
    }
    case "forfeit":
      return [w.line.left(people, seat, String(event.by)), plain(event.reason)];
    case "opening":
      return [w.line.opening, `${w.line.ticket(event.run as number)}`];
    case "void":
      return [w.line.void, plain(event.reason)];
    default: {
      const payoff = Array.isArray(event.payoff) ? event.payoff : [];
      const each = payoff.map((points, i) => `${shown(people.names[i] ?? "?")} ${pointsOf(Number(points))}`);
      return [w.line.end, each.join(" · ")];
    }
  }
}

const mover = (event: JsonObject, me: number | null) =>
  typeof event.seat === "number" ? (event.seat === me ? "you" : "house") : event.kind === "note" ? "" : "house";

interface StripProps {
  told: Told;
  wrong: Wrong | null;
  game: GamePage;
  moment: (line: number) => Moment;
  /** The seat of whoever looks at it. */
  me: number | null;
  at: number | null;
  onGo: (line: number) => void;
  next: string | null;
  receipts: readonly { head: string; step: number }[] | null;
  /** The address of a moment, to hand on: never that of a seat. */
  link: ((line: number) => string) | null;
}

/** Lines that are drawn at once: of a longer record, those around the one that is looked at. */
const DRAWN = 150;

export function Strip({ told, wrong, game, moment, me, at, onGo, next, receipts, link }: StripProps) {
  const list = useRef<HTMLOListElement>(null);
  const [about, setAbout] = useState(false);
  const { lines } = told;
  const from = Math.max(0, Math.min((at ?? lines.length) - DRAWN / 2, lines.length - DRAWN));
  const good = wrong?.line ? Math.min(told.checked, wrong.line - 1) : told.checked;
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const now = box.querySelector<HTMLElement>("[aria-current]") ?? box.lastElementChild as HTMLElement | null;
    if (now) box.scrollTop = Math.max(0, now.offsetTop - box.clientHeight + now.clientHeight + 8);
  }, [lines.length, at, next]);
  const depth = told.depth === "rules" ? w.strip.how : told.depth === "chain" ? w.strip.chainOnly : w.strip.chanceOnly;
  return (
    <aside class="card proof" aria-label={w.strip.label} data-broken={wrong ? "" : undefined}>
      <div class="pane">
        <p class="big">
          {wrong ? <Cross /> : <Tick />}
          {w.strip.checks(good, lines.length)}
        </p>
        <p class="small mute">
          {depth} {told.hides && !told.over && w.strip.stillHidden}
        </p>
      </div>
      <ol class="strip" ref={list} tabIndex={0} aria-label={w.strip.label}>
        {from > 0 && <li class="small mute elided">{w.strip.elided(1, from)}</li>}
        {lines.slice(from, from + DRAWN).map((line, index) => {
          const number = from + index + 1;
          return (
            <Ticket
              line={line}
              number={number}
              view={told.views[number - 1]}
              me={me}
              mark={wrong?.line === number ? "no" : number <= good ? "yes" : ""}
              code={wrong?.line === number ? wrong.code : ""}
              here={at === number}
              game={game}
              moment={moment}
              onGo={onGo}
              link={link}
              key={number}
            />
          );
        })}
        {from + DRAWN < lines.length && (
          <li class="small mute elided">{w.strip.elided(from + DRAWN + 1, lines.length)}</li>
        )}
        {wrong?.line && wrong.line > lines.length && (
          <li class="ticket fault">
            <span class="n">{wrong.line}</span>
            <span class="what">{w.strip.at(wrong.line)}</span>
            <span class="mark" data-mark="no">
              <Cross />
            </span>
            <span class="hash">{w.wrong[wrong.code] ?? otherFault}</span>
          </li>
        )}
        {next && (
          <li class="ticket now">
            <span class="n">{lines.length + 1}</span>
            <span class="what">{next}</span>
            <span />
            <span class="hash mono">{w.strip.waits}</span>
          </li>
        )}
      </ol>
      {receipts && (
        <div class="receipt">
          <strong class="small">{w.strip.receipt}</strong>
          <span class="small mute">
            {w.strip.receipts(receipts.length)} {receipts.at(-1)?.step}
          </span>
          {receipts.length > 0 && <span class="mono mute">{grouped(receipts.at(-1)?.head ?? "")}</span>}
          <div class="act">
            {receipts.length > 0 && <Copy text={() => receipts.at(-1)?.head ?? ""} words={w.strip.copyReceipt} />}
            <button type="button" class="btn quiet" aria-expanded={about} onClick={() => setAbout(!about)}>
              {w.strip.what}
            </button>
          </div>
          {about && <p class="small">{w.strip.whatFor}</p>}
        </div>
      )}
    </aside>
  );
}

interface TicketProps extends Pick<StripProps, "game" | "moment" | "me" | "onGo" | "link"> {
  line: Line;
  number: number;
  /** What lies on the table behind the line. */
  view: unknown;
  mark: "yes" | "no" | "";
  /** What is wrong with the line, if it is. */
  code: string;
  here: boolean;
}

/** One line of the record. It is drawn again only when something that it shows has changed, not for every new line. */
class Ticket extends Component<TicketProps> {
  override shouldComponentUpdate(next: TicketProps): boolean {
    const shown = ["line", "view", "me", "mark", "code", "here", "game"] as const;
    return shown.some((name) => next[name] !== this.props[name]);
  }

  override render({ line, number, me, mark, code, here, game, moment, onGo, link }: TicketProps) {
    const [what, detail] = lineWords(line.event, moment(number), game);
    return (
      <li
        class={`ticket ${mark === "no" ? "fault" : mover(line.event, me)}`}
        aria-current={here ? "step" : undefined}
      >
        <button type="button" class="n" aria-label={w.strip.go(number)} onClick={() => onGo(number)}>
          {number}
        </button>
        <span class="what">{what}</span>
        <span class="mark" data-mark={mark}>
          {mark === "no" ? <Cross /> : mark ? <Tick /> : null}
          <span class="sr">{mark === "no" ? w.strip.bad : mark ? w.strip.good : w.strip.open}</span>
        </span>
        {detail && <span class="hash mono">{detail}</span>}
        {mark === "no" && <span class="hash">{w.wrong[code] ?? otherFault}</span>}
        {here && (
          <div class="bytes">
            <strong class="small">{w.strip.bytes}</strong>
            <code class="mono">{shown(line.text.trimEnd())}</code>
            <span class="small mute">{w.strip.hash}</span>
            <code class="mono">{grouped(line.hash)}</code>
            {link && <Copy text={() => link(number)} words={w.strip.copy} />}
          </div>
        )}
      </li>
    );
  }
}

/** Into the clipboard; without a safe connection browsers know only the old way. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const box = document.body.appendChild(document.createElement("textarea"));
  box.value = text;
  box.select();
  document.execCommand("copy");
  box.remove();
}

export function Copy({ text, words }: { text: () => string; words: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      class="btn"
      onClick={() => void copy(text()).then(() => setDone(true), () => {})}
    >
      {done ? w.strip.copied : words}
    </button>
  );
}

/** What the arena did wrong, loudly. */
export function Alarm({ wrong, children }: { wrong: Wrong; children?: ComponentChildren }) {
  return (
    <section class="alarm" role="alert">
      <h2>
        <Cross /> {w.strip.alarm}
      </h2>
      <p>
        <strong>{wrong.line ? `${w.strip.at(wrong.line)}:` : ""}</strong> {w.wrong[wrong.code] ?? otherFault}{" "}
        <span class="mono">{wrong.code}</span>
      </p>
      <p class="small">{w.strip.stop}</p>
      <div class="acts">{children}</div>
    </section>
  );
}
