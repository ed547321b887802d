/** Check a file: the same strip, the same replay, the same verdict as at a table. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { telling, tellLong, type Told } from "../arena/record.ts";
import { readingRecord } from "../check/chain.ts";
import { judging, refused, type Verdict as Judged } from "../check/check.ts";
import { checkingContest } from "../check/contest.ts";
import { loadCurve } from "../check/curve.ts";
import { Fault } from "../check/fault.ts";
import { readingReceipts } from "../check/receipts.ts";
import { checkingSession } from "../check/session.ts";
import type { Slices } from "../check/slices.ts";
import { pageFor } from "../games/index.ts";
import { Drop, dropped, takeFiles } from "../parts/Drop.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { Strip } from "../parts/Strip.tsx";
import { inTurns } from "../parts/turns.ts";
import { Verdict } from "../parts/Verdict.tsx";
import { fileOf } from "../verify/files.ts";
import { contest, session } from "../verify/words.ts";
import { told as shown, w } from "../words.ts";
import { not, stamp } from "../words/verdict.ts";
import { verify as words } from "../words/verify.ts";
import { momentAt } from "./moments.ts";
import { goAt } from "./route.ts";
import { Scrubber, useReplay } from "./table.tsx";

type File = NonNullable<typeof dropped.value>;

interface Checked {
  file: File;
  about: string;
  judged: Judged;
  /** How many count; `null` where a record needs none. */
  receipts: number | null;
  /** A game, line by line. `null`: it is none, or not even that can be read. */
  told: Told | null;
  /** What is no record at all, or has no readable receipts: that in words. */
  why?: string;
}

/** Lines beyond this are judged, but no table is drawn for each. */
const MOST = 20_000;

/** What the file is, and what it is worth. */
function* checking(file: File): Slices<Checked> {
  const { name, bytes, receipts: kept } = file;
  const { kind } = fileOf(name, bytes);
  const whole = { file, about: shown(name), receipts: null, told: null };
  let unreadable = words.noRecord;
  try {
    if (kind === "contest") {
      const found = yield* checkingContest(bytes, kept ? yield* readingReceipts(kept, null) : []);
      const about = found.contest === null ? whole.about : contest.about(shown(found.contest));
      return { ...whole, about: `${found.result ?? ""} ${about}`.trim(), judged: judgedOf(found, found.claims) };
    }
    if (kind === "session") {
      const found = yield* checkingSession(bytes);
      const about = found.hands === null ? whole.about : session.about(found.hands);
      return {
        ...whole,
        about: `${found.result ?? ""} ${about}`.trim(),
        judged: judgedOf(found, found.claims, found.ok ? [session.not] : []),
      };
    }
    const lines = yield* readingRecord(bytes);
    unreadable = words.noReceipts;
    const receipts = kept ? yield* readingReceipts(kept, String(lines[0].event.table)) : [];
    const judged = yield* judging(lines, receipts);
    const told = lines.length > MOST ? tellLong(lines, judged) : yield* telling(lines);
    const about = words.about(judged.result ?? "", told.game, told.dealer);
    return { file, about, judged, receipts: receipts.length, told };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      ...whole,
      judged: refused(error, "none"),
      why: error.code === "input/unreadable" ? unreadable : undefined,
    };
  }
}

/** A verdict on something that is no game. */
function judgedOf(
  { ok, fault, result, answers }: Pick<Judged, "ok" | "fault" | "result" | "answers">,
  claims: Judged["claims"],
  remarks: Judged["remarks"] = [],
): Judged {
  const verdict = ok ? "valid" : "invalid";
  return { ok, verdict, result, answers, owed: null, depth: "rules", claims, payoff: null, fault, remarks };
}

/** The verdict on what was dropped last, and how many lines are done until there is one. */
function useChecked(file: File | null): { result: Checked | null; lines: number } {
  const [result, setResult] = useState<Checked | null>(null);
  const [lines, setLines] = useState(0);
  useEffect(() => {
    if (!file) return;
    let here = true; // another file may be dropped, and this page may be left
    setLines(0);
    void loadCurve().then(() => inTurns(checking(file), () => here, setLines)).then((found) => {
      if (!here || !found) return;
      setResult(found);
      say(w.verdict.said(stamp[found.judged.verdict]));
    });
    return () => void (here = false);
  }, [file]);
  return { result: result?.file === file ? result : null, lines };
}

export function VerifyPage() {
  const file = dropped.value;
  const { result, lines: done } = useChecked(file);
  useEffect(() => {
    document.title = `${words.title} · ${w.name}`;
  }, []);
  const told = result?.told ?? null;
  const lines = told?.lines.length ?? 0;
  const { at, step, keys } = useReplay(lines);
  useKeys(told ? keys : []);
  const fault = result?.judged.fault;
  const wrong = result?.judged.verdict === "invalid" && fault
    ? { ...fault, line: fault.line ?? null }
    : told?.wrong ?? null;
  const page = told && pageFor(told.game);
  const Table = page?.Table;
  const seen = told && momentAt(told, at ?? lines, null, false);
  return (
    <main
      id="main"
      class="wrap"
      tabIndex={-1}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void takeFiles(event.dataTransfer?.files);
      }}
    >
      <div class="intro">
        <div>
          <h1>{words.headline}</h1>
          <p class="lead">{words.lead}</p>
        </div>
        <Drop />
      </div>
      <p class="small mute">{words.receiptsHint}</p>
      {file && !result && <p class="mute" role="status">{words.checking(done)}</p>}
      {file && result && (
        <div class="table">
          <div>
            <Verdict judged={result.judged} receipts={result.receipts} about={result.about} why={result.why} />
            {Table && seen && told.views.length > 0 && <Table {...seen} key={file.name + file.bytes.length} />}
            {told && <Scrubber at={at} lines={lines} over step={step} />}
            {lines > MOST && <p class="mute">{words.tooLong}</p>}
          </div>
          {told && page && (
            <Strip
              told={told}
              wrong={wrong}
              game={page}
              moment={(line) => momentAt(told, line, null, false)}
              me={null}
              at={at}
              onGo={goAt}
              next={null}
              receipts={null}
              link={null}
            />
          )}
        </div>
      )}
      <section class="card without">
        <h2>{words.without}</h2>
        <p class="small mute">{words.withoutLead}</p>
        <pre tabIndex={0}>{`sed -n 3p game.jsonl | openssl dgst -sha3-256\nfairground verify game.jsonl`}</pre>
        <p class="small mute">
          {words.aloneText} <a href="/verify.html">{words.save}</a>
        </p>
      </section>
      {!file && (
        <section class="card pane not">
          <h2>{not.heading}</h2>
          <ul>{[...not.list, not.order].map((one) => <li key={one}>{one}</li>)}</ul>
        </section>
      )}
    </main>
  );
}
