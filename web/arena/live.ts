/**
 * A table as this tab follows it, and the seat that it plays, if it plays one.
 *
 * The seat answers by itself what needs no decision: tips, links and words for chance, and the opening of seals. It
 * answers only what its own referee asks for as well, each link for one history only, and keeps a receipt of every
 * ask before it answers.
 */
import { computed, signal } from "@preact/signals";
import { fromHex, fromText } from "../check/bytes.ts";
import { write } from "../check/canonical.ts";
import type { Verdict } from "../check/check.ts";
import { isObject, type Json } from "../check/json.ts";
import { seal } from "../check/seals.ts";
import { arena, type Ask, games, type Hint, Problem, type SeatView } from "./api.ts";
import { chainAnswer } from "./chain.ts";
import { Growing, type Told, type Wrong } from "./record.ts";
import { type Answer, change, forget, keep, type Kept, kept, random, type Receipt } from "./secrets.ts";
import { follow } from "./stream.ts";

const LOOKS = 6;

/** Milliseconds until the checker is asked for again. */
const PATIENCE = 1500;

/** The code that judges a whole record. It loads when a game is over, because nothing needs it before. */
const checker = signal<typeof import("../check/check.ts").check | null>(null);

async function loadChecker(): Promise<void> {
  while (!checker.value) {
    try {
      checker.value = (await import("../check/check.ts")).check;
    } catch { // the arena is away
      await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    }
  }
}
const SHARES = ["tip", "next-tip", "link", "stir", "number"];

/** The name under which an answer is kept. A share is given once for its run, whatever the history. */
function nameOf(ask: Ask): string {
  return SHARES.includes(ask.kind) ? `${ask.kind}:${ask.run ?? 0}` : `${ask.kind}.${ask.step}`;
}

function below(n: bigint): Json {
  const size = n.toString(16).length + 8; // so many digits more that the remainder is as good as even
  const value = BigInt("0x" + random(size)) % n;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? value.toString() : Number(value);
}

/** Of two things that are wrong, the one at the earlier line. */
function first(a: Wrong | null, b: Wrong | null): Wrong | null {
  if (!a || !b) return a ?? b;
  return (b.line ?? 0) < (a.line ?? 0) ? b : a;
}

export class Live {
  private readonly record = new Growing();
  /** How much of the record was compared with our own answers and receipts: what is behind us is not compared again. */
  private readonly compared = { lines: 0, answers: 0, receipts: 0 };
  private readonly stops: (() => void)[] = [];
  private dead = false;
  private working = false;
  /** How often we have looked for a line that the arena speaks of. */
  private looks = 0;
  private again = false;
  private release: (() => void) | null = null;

  readonly told = signal<Told | null>(null);
  readonly seatView = signal<SeatView | null>(null);
  readonly kept = signal<Kept | null>(null);
  /** Something that the arena did and must not do. */
  readonly wrong = signal<Wrong | null>(null);
  /** The arena's own word that it refuses something, or is away. */
  readonly problem = signal<Problem | null>(null);
  /** Whether this tab is the one that answers. */
  readonly mine = signal(false);
  /** A move that is kept and on its way. */
  readonly sending = signal(false);
  private readonly advice = signal<{ ask: string; hint: Hint } | null>(null);
  /** What the coach says to what is asked now. */
  readonly hint = computed(() =>
    this.advice.value?.ask === this.ask.value?.id ? this.advice.value?.hint ?? null : null
  );
  /** Whether it is known what this browser keeps of the seat. */
  readonly known = signal(false);

  /** What is asked of the person: a move, if this tab plays. */
  readonly ask = computed<Ask | null>(() => {
    const view = this.seatView.value, told = this.told.value;
    if (!view || !told || told.over || this.wrong.value || this.sending.value) return null;
    // A note changes nothing of what is asked. Behind any other line a newer view is on its way.
    if (view.step > told.lines.length) return null;
    if (told.lines.slice(view.step).some(({ event }) => event.kind !== "note")) return null;
    const ask = (view.asks ?? []).find(({ kind }) => kind === "move" || kind === "seal") ?? null;
    return ask && !this.kept.value?.answers[nameOf(ask)] ? ask : null;
  });

  /** The id of the move or seal that the arena asked for last; it stays while our answer is on its way. */
  readonly question = computed(() =>
    this.seatView.value?.asks?.find(({ kind }) => kind === "move" || kind === "seal")?.id ?? ""
  );

  /** The verdict when the game is over. */
  readonly verdict = computed<Verdict | null>(() => {
    const told = this.told.value, check = checker.value;
    if (!told?.over || !check) return null;
    return check(fromText(told.lines.map((line) => line.text).join("")), this.receipts());
  });

  constructor(readonly id: string, readonly secret: string | null) {
    const missed = () => void this.refresh();
    this.stops.push(follow(`table:${id}`, { missed, news: (news) => this.hear(news) }));
    if (secret) {
      this.stops.push(follow(`seat:${id}/${secret}`, { missed, news: (news) => this.hear(news) }));
      void this.sit();
    }
    void this.refresh();
  }

  stop(): void {
    this.dead = true;
    for (const stop of this.stops) stop();
    this.release?.();
  }

  /** Receipts of our own, for a verdict. */
  receipts(): { head: string; seat: number }[] {
    return (this.kept.value?.receipts ?? []).map(({ head, seat }) => ({ head, seat }));
  }

  // News

  private hear(news: { [member: string]: unknown }): void {
    if (news.problem) {
      const { status, code, detail } = news.problem as { status: number; code: string; detail: string };
      this.problem.value = new Problem(status, code, detail);
      return;
    }
    if (news.seat) return this.look(news.seat as SeatView);
    if (this.record.take(news.line as number, news.text as string)) this.fold();
    else void this.refresh();
  }

  private look(view: SeatView): void {
    const now = this.seatView.value;
    if (now && view.step < now.step) return;
    this.seatView.value = view;
    void this.remember(); // what is asked may come after the line that it is asked behind
    void this.work();
  }

  /** Asks for all that is new. */
  async refresh(): Promise<void> {
    try {
      const view = this.secret ? arena.seat(this.id, this.secret) : null;
      view?.catch(() => {});
      const after = Math.max(this.record.lines.length - 1, 0); // the last one again: it must still be the same
      const text = await arena.transcript(this.id, after);
      if (this.dead) return;
      for (const [i, line] of text.split("\n").entries()) if (line) this.record.take(after + i + 1, line);
      this.fold();
      if (view) this.look(await view);
      this.problem.value = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem.value = error;
      if (error.isAway && !this.dead) setTimeout(() => this.dead || this.refresh(), 1500);
    }
  }

  private fold(): void {
    this.told.value = this.record.tell();
    if (this.told.value?.over) void loadChecker().then(() => this.remember());
    this.wrong.value ??= first(this.record.wrong, this.told.value?.wrong ?? null) ?? this.notOurs();
    void this.remember();
    void this.work();
  }

  /** Is each answer that stands there in our name the one that we gave, and every receipt of this history? */
  private notOurs(): Wrong | null {
    const seat = this.seatView.value?.seat, mine = this.kept.value, told = this.told.value;
    if (seat === undefined || !mine || !told) return null;
    const given = Object.keys(mine.answers);
    if (!given.length) return null;
    for (; this.compared.lines < told.lines.length; this.compared.lines++) {
      const { event } = told.lines[this.compared.lines];
      if (event.seat !== seat || !["share", "move", "seal", "open"].includes(event.kind as string)) continue;
      const said = event.kind === "share"
        ? event.value
        : event.kind === "move"
        ? event.move
        : event.kind === "seal"
        ? event.commitment
        : { key: event.key, move: event.move };
      const ours = mine.answers[given[this.compared.answers++]]?.answer;
      if (ours === undefined || write(ours) !== write(said as Json)) {
        return { line: this.compared.lines + 1, code: "page/not-what-you-said", reason: "" };
      }
    }
    for (; this.compared.receipts < mine.receipts.length; this.compared.receipts++) {
      const { head, step } = mine.receipts[this.compared.receipts];
      const line = told.lines[step - 1];
      if (!line) break;
      if (line.hash !== head) return { line: step, code: "page/receipt", reason: "" };
    }
    return null;
  }

  // The seat

  private async sit(): Promise<void> {
    this.kept.value = await kept(this.id) ?? null;
    this.known.value = true;
    this.fold();
    await this.hold(false);
  }

  /** Somebody gave us the address of a seat that has said nothing yet: from now on this browser plays it. */
  private async adopt(): Promise<void> {
    const told = this.told.value, view = this.seatView.value;
    if (!told || !view || !this.mine.value || this.kept.value || this.spoken) return;
    const { name } = told.seats[view.seat];
    const others = told.seats.filter((_, seat) => seat !== view.seat).map(({ name }) => name);
    const title = (await games().catch(() => [])).find((game) => game.name === told.game)?.title ?? told.game;
    await keep({ id: this.id, secret: this.secret as string, game: told.game, title, name, others });
    this.kept.value = await kept(this.id) ?? null;
    void this.work();
  }

  /** Whether our seat has said something already. */
  get spoken(): boolean {
    const seat = this.seatView.value?.seat;
    return this.told.value?.lines.some(({ event }) => event.seat === seat) ?? false;
  }

  /** One tab answers for a seat. Another one may take it over. */
  async hold(steal: boolean): Promise<void> {
    if (!navigator.locks) return; // no safe connection, no secrets: see `safe.ts`
    try {
      await navigator.locks.request(`fairground/seat/${this.id}`, { steal }, async () => {
        if (this.dead) return;
        this.kept.value = await kept(this.id) ?? null;
        this.mine.value = true;
        void this.work();
        await new Promise<void>((resolve) => this.release = resolve);
      });
    } catch {
      this.mine.value = false;
      if (!this.dead) void this.hold(false);
    }
  }

  /** Answers what needs no decision, and what was decided before and has not arrived. */
  private async work(): Promise<void> {
    if (this.working) {
      this.again = true;
      return;
    }
    this.working = true;
    try {
      do {
        this.again = false;
        while (await this.answerOne());
      } while (this.again);
    } finally {
      this.working = false;
    }
  }

  private async answerOne(): Promise<boolean> {
    if (this.known.value && !this.kept.value && this.secret) await this.adopt();
    const view = this.seatView.value, told = this.told.value, mine = this.kept.value;
    if (this.dead || !this.mine.value || !view || !told || !mine || this.wrong.value || told.over) return false;
    if (view.step > told.lines.length) {
      // An arena of several workers may lag behind itself for a moment.
      if (++this.looks > LOOKS) return this.alarm(told.lines.length + 1, "page/withheld");
      setTimeout(() => this.dead || this.refresh(), 100 * this.looks);
      return false;
    }
    this.looks = 0;
    if (view.step < told.lines.length) return false; // a newer view is on its way
    for (const ask of view.asks ?? []) {
      if (told.lines[ask.step - 1]?.hash !== ask.head) return this.alarm(ask.step, "page/other-history");
      if (told.asks && !told.asks.some(({ kind, seat }) => kind === ask.kind && seat === view.seat)) {
        return this.alarm(told.lines.length, "page/not-asked");
      }
      const before = mine.answers[nameOf(ask)];
      if (before && before.head !== ask.head) return this.alarm(ask.step, "page/two-histories");
      const answer = before ?? this.made(ask, view, told, mine);
      if (answer) return await this.send(ask, answer);
    }
    return false;
  }

  private alarm(line: number, code: string): false {
    this.wrong.value ??= { line, code, reason: "" };
    return false;
  }

  /** An answer that needs no decision. */
  private made(ask: Ask, view: SeatView, told: Told, mine: Kept): Answer | null {
    const { head } = ask;
    if (ask.kind === "stir") return { head, answer: random(16) };
    if (ask.kind === "number") return { head, answer: below(BigInt(ask.n ?? 1)) };
    if (ask.kind === "open") {
      const sealed = Object.entries(mine.answers).findLast(([name]) => name.startsWith("seal."))?.[1];
      return sealed?.key ? { head, answer: { key: sealed.key, move: sealed.move as Json } } : null;
    }
    if (!["tip", "next-tip", "link"].includes(ask.kind)) return null;
    const run = ask.run ?? 0;
    const links = Object.keys(mine.answers).filter((name) => name.startsWith("link:")).length;
    if (ask.kind === "link" && run !== links + 1) return null; // a later link would give away those before it
    const open = told.lines[0].event.public;
    const length = isObject(open) ? Number(open.length) : 0;
    return {
      head,
      answer: chainAnswer({ root: mine.root, table: told.table, seat: view.seat, length }, ask.kind, run),
    };
  }

  /** Keeps an answer with its receipt, and sends it. */
  private async send(ask: Ask, answer: Answer): Promise<boolean> {
    const { table } = this.told.value as Told, { seat } = this.seatView.value as SeatView;
    this.kept.value = await change(this.id, (mine) => {
      mine.answers[nameOf(ask)] ??= answer;
      const receipt = { table, seat, step: ask.step, head: ask.head };
      if (!mine.receipts.some(({ head }) => head === ask.head)) mine.receipts.push(receipt);
    });
    const { answer: sent } = this.kept.value.answers[nameOf(ask)];
    try {
      await arena.answer(this.id, this.secret as string, ask.id, sent);
      this.problem.value = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.isAway) {
        this.problem.value = error;
        setTimeout(() => this.dead || this.work(), 1500);
        return false;
      }
      if (error.status === 422 || error.status === 400) {
        this.problem.value = error;
        this.kept.value = await change(this.id, (mine) => void delete mine.answers[nameOf(ask)]);
        return false;
      }
    }
    await this.refresh();
    return true;
  }

  /** The move that this seat sealed last. */
  lastSealed(): Json | undefined {
    const given = Object.entries(this.kept.value?.answers ?? {});
    return given.findLast(([name]) => name.startsWith("seal."))?.[1].move;
  }

  /** Sends the person's move, if what it was chosen for is still what is asked. */
  async play(move: Json, question: string): Promise<void> {
    const ask = this.ask.value, told = this.told.value, view = this.seatView.value;
    if (!ask || ask.id !== question || !told || !view || !this.mine.value) return;
    this.sending.value = true;
    try {
      const { head } = ask;
      if (ask.kind === "move") await this.send(ask, { head, answer: move });
      else {
        const key = random();
        const answer = seal(fromHex(told.table), view.seat, { step: ask.step, head }, key, move);
        await this.send(ask, { head, answer, key, move });
      }
    } finally {
      this.sending.value = false;
    }
    void this.work();
  }

  async advise(): Promise<void> {
    const ask = this.ask.value?.id;
    if (!ask) return;
    try {
      const hint = await arena.hint(this.id, this.secret as string);
      if (this.ask.value?.id === ask) this.advice.value = { ask, hint }; // else it comes too late
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.ask.value?.id === ask) this.problem.value = error;
    }
  }

  /** Says something to everybody at the table. False: it was refused. */
  async remark(text: string): Promise<boolean> {
    try {
      await arena.remark(this.id, this.secret as string, text);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem.value = error;
      return false;
    }
  }

  async leave(): Promise<void> {
    try {
      await arena.leave(this.id, this.secret as string);
    } catch (error) {
      if (error instanceof Problem) this.problem.value = error;
    }
    await this.refresh();
  }

  /** Leaves a seat before the game has begun. True: this browser keeps nothing of it any more. */
  async getUp(): Promise<boolean> {
    try {
      await arena.getUp(this.id, this.secret as string);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status !== 404) {
        this.problem.value = error;
        return false;
      }
    }
    await forget(this.id);
    return true;
  }

  /** Writes down for the lobby how it stands. */
  private async remember(): Promise<void> {
    const told = this.told.value, mine = this.kept.value, view = this.seatView.value;
    if (!told || !mine || !view) return;
    const state = told.over ? "over" : this.ask.value ? "yours" : "theirs";
    if (mine.state === state && mine.lines === told.lines.length) return;
    const verdict = this.wrong.value ? "invalid" : this.verdict.value?.verdict;
    if (told.over && !verdict) return; // the checker is still loading
    const won = told.payoff?.[view.seat] ?? 0;
    this.kept.value = await change(this.id, (seat) => {
      const others = told.seats.filter((_, other) => other !== view.seat).map(({ name }) => name);
      Object.assign(seat, { state, lines: told.lines.length, verdict, others });
      if (told.over) seat.result = won > 0 ? "won" : won < 0 ? "lost" : "level";
    });
  }
}

/** The text of a record, to save. */
export function recordText(told: Told): Uint8Array {
  return fromText(told.lines.map(({ text }) => text).join(""));
}

/** A receipts file, as `fairground verify` reads it. */
export function receiptsText(receipts: readonly Receipt[]): string {
  return receipts.map(({ head, seat, step, table }) => JSON.stringify({ head, seat, step, table }) + "\n").join("");
}
