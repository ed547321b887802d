/** A table: play a seat, watch, or step through what was. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Hint, Problem } from "../arena/api.ts";
import { Live, receiptsText, recordText } from "../arena/live.ts";
import type { Told } from "../arena/record.ts";
import type { Receipt } from "../arena/secrets.ts";
import { isSafe } from "../arena/safe.ts";
import { rematch } from "../arena/sit.ts";
import { type GamePage, type Moment } from "../games/game.ts";
import { useGame } from "../games/generic.tsx";
import { pageFor } from "../games/index.ts";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { Alarm, Strip } from "../parts/Strip.tsx";
import { Verdict } from "../parts/Verdict.tsx";
import { listed, told as shown, w } from "../words.ts";
import { stamp } from "../words/verdict.ts";
import { later } from "./later.tsx";
import { momentAt } from "./moments.ts";
import { go, goAt, route } from "./route.ts";
import { saveFile } from "./save.ts";
import { OpenTable } from "./waiting.tsx";

function useLive(id: string, secret: string | null): Live {
  const live = useMemo(() => new Live(id, secret), [id, secret]);
  useEffect(() => () => live.stop(), [live]);
  return live;
}

/** The line that is looked at; `null`: the game itself. */
export function useReplay(lines: number) {
  const asked = route.value.at;
  const at = asked === null || lines === 0 ? null : Math.max(1, Math.min(asked, lines));
  const step = (by: number) => {
    const next = (at ?? lines) + by;
    goAt(next > lines || (next === lines && by > 0 && at === null) ? null : Math.max(1, next));
  };
  const keys = [
    { key: "ArrowLeft", shown: "←", does: w.keys.back, run: () => step(-1) },
    { key: "ArrowRight", shown: "→", does: w.keys.forward, run: () => step(1) },
    { key: "Home", does: w.keys.home, run: () => goAt(1) },
    { key: "End", does: w.keys.end, run: () => goAt(null) },
  ];
  return { at, step, keys };
}

export function TablePage({ id, secret, review }: { id: string; secret: string | null; review?: boolean }) {
  const live = useLive(id, secret);
  const [reviewing, setReviewing] = useState(review ?? false);
  const told = live.told.value;
  const lines = told?.lines.length ?? 0;
  const { at, step, keys } = useReplay(lines);
  const page = told ? pageFor(told.game) : null;
  const now = told ? momentAt(told, lines, live, true) : null;
  const moment = told && at !== null ? momentAt(told, at, live, false) : now;
  const state = now && page ? stateOf(page, now, live) : "";
  const declared = useGame(told?.game ?? "");
  const title = declared?.title ?? told?.game ?? w.name;

  useEffect(() => {
    if (!told) return void (document.title = w.name);
    document.title = `${now?.asked ? `${w.table.yourMove} · ` : ""}${title} · ${w.name}`;
  }, [now?.asked, title, !told]);
  useEffect(() => {
    if (state) say(state);
  }, [state]);
  const heard = told ? lastRemark(told, now?.me ?? null) : "";
  useEffect(() => {
    if (heard) say(heard);
  }, [heard]);
  useKeys([
    ...(told ? keys : []),
    { key: "s", does: w.keys.state, run: () => say(state) },
    ...(now?.advise ? [{ key: "h", does: w.keys.hint, run: now.advise }] : []),
  ]);

  if (!told || !page || !moment || !now) return <OpenTable live={live} />;
  const wrong = live.wrong.value;
  const Table = page.Table, Below = page.Below;
  const receipts = secret ? live.kept.value?.receipts ?? [] : null;
  const ask = live.ask.value;
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <div class="bar">
        <h1 class="t">{shown(title)}</h1>
        {page.tag && <span class="tag opt">{page.tag(moment)}</span>}
        <span class="tag opt">{shown(told.dealer)}</span>
        {!secret && <span class="tag">{w.table.watching}</span>}
        <span class="end">
          <Rules how={declared?.how ?? ""} title={title} />
          {secret && !told.over && !wrong && <Leave live={live} />}
        </span>
      </div>
      {wrong && (
        <Alarm wrong={wrong}>
          <SaveButtons told={told} receipts={receipts ?? []} />
        </Alarm>
      )}
      {live.problem.value && <ProblemNote problem={live.problem.value} />}
      {secret && live.known.value && !live.kept.value && live.spoken && !told.over && (
        <p class="notice">{w.table.noSecret}</p>
      )}
      {secret && isSafe && live.kept.value && !live.mine.value && !told.over && (
        <p class="notice">
          {w.table.elsewhere}{" "}
          <button type="button" class="btn" onClick={() => void live.hold(true)}>{w.table.takeOver}</button>
        </p>
      )}
      <div class="table" data-asked={now.asked ? "" : undefined} data-lines={lines}>
        <div>
          <Table {...moment} key={at === null ? "now" : "then"} />
          <Scrubber at={at} lines={lines} over={told.over} step={step} />
          {!moment.asked && moment.live && !told.over && <p class="waits mute">{state}</p>}
          {told.over && live.verdict.value && (
            <Verdict judged={live.verdict.value} receipts={receipts?.length ?? 0} about={resultWords(page, now)}>
              {secret && <Rematch live={live} game={told.game} />}
              {!wrong && !reviewing && (
                <button
                  type="button"
                  class="btn"
                  onClick={() => setReviewing(true)}
                >
                  {w.askReview}
                </button>
              )}
              <SaveButtons told={told} receipts={receipts ?? []} />
              <a class="btn quiet" href="#/">{w.toLobby}</a>
            </Verdict>
          )}
          {told.over && !wrong && reviewing && (
            <Review id={id} told={told} seat={now.me ?? 0} own={secret !== null} onGo={goAt} />
          )}
          <div class="two">
            {live.hint.value && <Coach hint={live.hint.value} />}
            {Below && <Below {...moment} />}
            {secret && !told.over && !wrong && isCompany(told, now.me) && <Remark live={live} />}
          </div>
        </div>
        <Strip
          told={told}
          wrong={wrong}
          game={page}
          moment={(line) => momentAt(told, line, live, false)}
          me={now.me}
          at={at}
          onGo={goAt}
          next={ask && now.asked ? w.strip.next[ask.kind] ?? null : null}
          receipts={receipts}
          link={(line) => `${location.origin}/#/table/${encodeURIComponent(id)}@${line}`}
        />
      </div>
    </main>
  );
}

const Review = later(() => import("./review.tsx").then(({ Review }) => Review));

/** What somebody else said last. */
function lastRemark(told: Told, me: number | null): string {
  if (!told.remark) return "";
  const names = told.seats.map(({ name }) => name);
  const seat = typeof told.remark.seat === "number" ? told.remark.seat : null;
  return seat === me ? "" : `${w.line.remark({ names, me }, seat)}: ${shown(String(told.remark.remark))}`;
}

/** One sentence for eyes and ears: how it stands, and whom it waits for. */
function stateOf(page: GamePage, now: Moment, live: Live): string {
  const { told } = now;
  const state = page.state(now).trim();
  if (told.over) {
    return `${state} ${resultWords(page, now)} ${
      live.verdict.value ? w.verdict.said(stamp[live.verdict.value.verdict]) : ""
    }`;
  }
  if (live.sending.value) return `${state} ${w.table.sent}`;
  const waiting = (live.seatView.value?.waiting_for ?? told.asks?.map(({ seat }) => seat) ?? []).filter((seat) =>
    seat !== now.me
  );
  return !now.asked && waiting.length
    ? `${state} ${w.table.waitingFor([...new Set(waiting)].map((seat) => now.names[seat] ?? "?"))}`
    : state;
}

/** How it ended. */
export function resultWords(page: GamePage, at: Moment): string {
  const { payoff, lines } = at.told;
  const own = payoff && at.view ? page.result?.(at) : "";
  if (own) return own;
  if (!payoff) return lines.at(-1)?.event.kind === "end" ? w.table.voided : "";
  const best = Math.max(...payoff);
  const winners = payoff.flatMap((points, seat) => points === best && points > 0 ? [seat] : []);
  return winners.length === 1
    ? w.table.won(at, winners[0])
    : winners.length
    ? listed(winners.map((seat) => w.table.won(at, seat)))
    : w.table.nobody;
}

/** The record and the receipts as files, as `fairground verify` reads them. */
function SaveButtons({ told, receipts }: { told: Told; receipts: readonly Receipt[] }) {
  const name = fileName(told.game);
  return (
    <>
      <button type="button" class="btn" onClick={() => saveFile(`${name}.jsonl`, recordText(told))}>
        {w.table.saveGame}
      </button>
      {receipts.length > 0 && (
        <button
          type="button"
          class="btn"
          onClick={() => saveFile(`${name}.receipts`, receiptsText(receipts))}
        >
          {w.table.saveReceipts}
        </button>
      )}
    </>
  );
}

const fileName = (game: string) => game.replace(/\W+/g, "-");

function Arrow({ d }: { d: string }) {
  return (
    <svg class="ico" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} fill="currentColor" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
    </svg>
  );
}

export function Scrubber(
  { at, lines, over, step }: { at: number | null; lines: number; over: boolean; step: (by: number) => void },
) {
  return (
    <div class="scrub" role="group" aria-label={w.table.replayLabel}>
      <button type="button" class="btn" onClick={() => goAt(1)} aria-label={w.table.first}>
        <Arrow d="M3 3v10M13 3L6 8l7 5Z" />
      </button>
      <button type="button" class="btn" onClick={() => step(-1)} aria-label={w.table.back}>
        <Arrow d="M12 3L4 8l8 5Z" />
      </button>
      <input
        type="range"
        min={1}
        max={lines}
        value={at ?? lines}
        aria-label={w.table.replay(at ?? lines, lines)}
        onInput={(event) => {
          const line = Number(event.currentTarget.value);
          goAt(line >= lines ? null : line);
        }}
      />
      <button type="button" class="btn" onClick={() => step(1)} aria-label={w.table.forward}>
        <Arrow d="M4 3l8 5-8 5Z" />
      </button>
      {at === null
        ? <span class="tag">{over ? w.table.theEnd : w.table.liveNow}</span>
        : (
          <button type="button" class="btn go" onClick={() => goAt(null)}>
            {over ? w.table.toEnd : w.table.toLive}
          </button>
        )}
    </div>
  );
}

/** A fraction as a percentage, or as it is. */
function partOf(fraction: string): number {
  const [over, under = "1"] = fraction.split("/");
  return Number(over) / Number(under);
}

function percentOf(fraction: string): string {
  const part = partOf(fraction);
  return Number.isFinite(part) ? `${(part * 100).toFixed(2)} %` : shown(fraction);
}

/** What the coach says, asked. It comes into view, and who has asked by a key goes on from there. */
function Coach({ hint }: { hint: Hint }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, [hint]);
  return (
    <section class="card pane hintbox" ref={box} tabIndex={-1} aria-labelledby="coach">
      <div class="head">
        <h2 id="coach">{w.table.coach}</h2>
        <span class="tag">{hint.exact ? w.table.exact : w.table.guess}</span>
      </div>
      <p>{shown(hint.words)}</p>
      {hint.mix && hint.mix.length > 1 && (
        <>
          <p class="small">{w.table.mixes}</p>
          <ul class="mix">
            {hint.mix.map(({ words, share }) => (
              <li key={words}>
                <span>{shown(words)}</span>
                <span class="share" aria-hidden="true">
                  <i style={{ width: `${100 * partOf(share)}%` }} />
                </span>
                <span class="number">{percentOf(share)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="small mute">{w.table.hintNoted}</p>
    </section>
  );
}

/** Somebody sits there who could hear a remark. */
const isCompany = (told: Told, me: number | null) => told.seats.some(({ by }, seat) => by === "self" && seat !== me);

function Remark({ live }: { live: Live }) {
  const [text, setText] = useState("");
  return (
    <form
      class="card pane stack"
      onSubmit={async (event) => {
        event.preventDefault();
        if (text.trim() && await live.remark(text.trim())) setText("");
      }}
    >
      <p class="field">
        <label for="remark">{w.table.remark}</label>
        <input id="remark" maxLength={200} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="small mute">{w.table.remarkHint}</span>
      </p>
      <button type="submit" class="btn" disabled={!text.trim()}>{w.table.say}</button>
    </form>
  );
}

export function ProblemNote({ problem }: { problem: Problem }) {
  return <p class="notice bad" role="alert">{problem.isAway ? w.table.cannotReach : shown(problem.detail)}</p>;
}

function Rules({ how, title }: { how: string; title: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  if (!how) return null;
  return (
    <>
      <button type="button" class="btn quiet" onClick={() => dialog.current?.showModal()}>{w.table.rules}</button>
      <dialog ref={dialog} class="sheet" aria-labelledby="rules-title">
        <h2 id="rules-title">{shown(title)}</h2>
        {how.split("\n").map((rule) => <p key={rule}>{shown(rule)}</p>)}
        <form method="dialog">
          <button type="submit" class="btn go">{w.close}</button>
        </form>
      </dialog>
    </>
  );
}

function Leave({ live }: { live: Live }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" class="btn quiet" onClick={() => dialog.current?.showModal()}>{w.table.leave}</button>
      <dialog ref={dialog} class="sheet" aria-labelledby="leave-title">
        <h2 id="leave-title">{w.table.leave}</h2>
        <p>{w.table.leaveAsk}</p>
        <form method="dialog" class="act">
          <button type="submit" class="btn go">{w.table.stay}</button>
          <button type="submit" class="btn" onClick={() => void live.leave()}>{w.table.leaveYes}</button>
        </form>
      </dialog>
    </>
  );
}

function Rematch({ live, game }: { live: Live; game: string }) {
  const declared = useGame(game);
  const [problem, setProblem] = useState("");
  const again = async () => {
    try {
      go(await rematch(declared!, live.id, live.secret!, live.kept.value?.others ?? []));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
    }
  };
  return (
    <>
      {live.seatView.value?.rematch && <span class="tag you">{w.table.asksRematch}</span>}
      <button type="button" class="btn go" disabled={!declared} onClick={again}>{w.table.rematch}</button>
      {problem && <span class="small" role="alert">{shown(problem)}</span>}
    </>
  );
}
