/** Check a file: the same strip, the same replay, the same verdict as at a table. */
import "./first.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { fromFile, judge, type Told } from "../arena/record.ts";
import { loadCurve } from "../check/curve.ts";
import { Fault } from "../check/fault.ts";
import { readReceipts } from "../check/receipts.ts";
import { check, type Verdict as Judged } from "../check/check.ts";
import { pageFor } from "../games/index.ts";
import { Drop, dropped, takeFiles } from "../parts/Drop.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { Strip } from "../parts/Strip.tsx";
import { Verdict } from "../parts/Verdict.tsx";
import { told as shown, w } from "../words.ts";
import { momentAt } from "./moments.ts";
import { goAt, route } from "./route.ts";

interface Checked {
  told: Told | null;
  judged: Judged;
  receipts: number;
}

function checked(bytes: Uint8Array, text: string): Checked {
  try {
    const told = fromFile(bytes);
    const receipts = text ? readReceipts(text, told.table) : [];
    return { told, judged: judge(told.lines, receipts), receipts: receipts.length };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { told: null, judged: check(bytes), receipts: 0 };
  }
}

export function VerifyPage() {
  const file = dropped.value;
  const [ready, setReady] = useState(false);
  useEffect(() => void loadCurve().then(() => setReady(true)), []);
  const result = useMemo(() => ready && file ? checked(file.bytes, file.receipts) : null, [file, ready]);
  useEffect(() => {
    document.title = `${w.verify.title} · ${w.name}`;
  }, []);
  useEffect(() => {
    if (result) say(w.verdict.said(w.verdict[result.judged.verdict]));
  }, [result]);
  const told = result?.told ?? null;
  const lines = told?.lines.length ?? 0;
  const at = route.value.at === null ? null : Math.max(1, Math.min(route.value.at, lines));
  const step = (by: number) => goAt(Math.max(1, (at ?? lines) + by) > lines ? null : Math.max(1, (at ?? lines) + by));
  useKeys(
    told
      ? [
        { key: "ArrowLeft", shown: "←", does: w.keys.back, run: () => step(-1) },
        { key: "ArrowRight", shown: "→", does: w.keys.forward, run: () => step(1) },
        { key: "Home", does: w.keys.home, run: () => goAt(1) },
        { key: "End", does: w.keys.end, run: () => goAt(null) },
      ]
      : [],
  );
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
          <h1>{w.verify.headline}</h1>
          <p class="lead">{w.verify.lead}</p>
        </div>
        <Drop />
      </div>
      <p class="small mute">{w.verify.receiptsHint}</p>
      {file && result && (
        <div class="table">
          <div>
            <Verdict
              judged={result.judged}
              receipts={result.receipts}
              about={told
                ? `${shown(told.game)}, ${shown(told.dealer)}: ${told.seats.map(({ name }) => shown(name)).join(", ")}`
                : shown(file.name)}
            />
            {Table && seen && told.views.length > 0 && <Table {...seen} key={file.name + file.bytes.length} />}
          </div>
          {told && page && (
            <Strip
              told={told}
              wrong={wrong}
              game={page}
              moment={(line) => momentAt(told, line, null, false)}
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
        <h2>{w.verify.without}</h2>
        <p class="small mute">{w.verify.withoutLead}</p>
        <pre tabIndex={0}>{`sed -n 3p game.jsonl | openssl dgst -sha3-256\nfairground verify game.jsonl`}</pre>
        <p class="small mute">
          {w.verify.aloneText} <a href="/verify.html">{w.verify.save}</a>
        </p>
      </section>
      {!file && (
        <section class="card pane not">
          <h2>{w.verdict.not}</h2>
          <ul>{w.verdict.nots.map((not) => <li key={not}>{not}</li>)}</ul>
        </section>
      )}
    </main>
  );
}
