/** verify.html: drop a game, and see whether it holds. Nothing is sent anywhere; the file's own policy forbids it. */
import { Component, type ComponentChildren, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { loadCurve } from "../check/curve.ts";
import type { Receipt } from "../check/receipts.ts";
import { Tent } from "../look/seals.tsx";
import { inTurns } from "../parts/turns.ts";
import { type AnyExamined, examining } from "./examine.ts";
import type { File } from "./files.ts";
import { Files, Zone } from "./Zone.tsx";
import { ContestFile, Game, SessionFile } from "./Looks.tsx";
import { busy, chosen, files, forgery, lines, lookAtSample, trouble, typed } from "./state.ts";
import { Stamp } from "./Verdict.tsx";
import { foot, outside, page, stamp, verdict as words } from "./words.ts";

interface FailedLook {
  kind: "failed";
  reason: string;
}

type Found = AnyExamined | FailedLook;

/** What was looked at last, how long that took, and which look it was: each is drawn anew. */
interface Look {
  file: File;
  /** All that the look rests on. */
  on: readonly unknown[];
  found: Found;
  took: number;
  serial: number;
}

let looks = 0;

/** Looks at a file, in slices. `null`: something else is looked at by now. */
async function look(
  file: File,
  changed: File,
  given: readonly Receipt[],
  on: readonly unknown[],
): Promise<Look | null> {
  const serial = ++looks, began = performance.now();
  const work = examining(changed, files.value, given);
  const made = (found: Found) => ({ file, on, found, took: performance.now() - began, serial });
  try {
    const found = await inTurns(work, () => serial === looks, (count) => lines.value = count);
    return found && made(found);
  } catch (error) { // whatever goes wrong here is a mistake of ours, and no verdict
    return made({ kind: "failed", reason: String(error) });
  }
}

/** If a verdict cannot be drawn, that of another file must not stay. */
class Guard extends Component<{ children: ComponentChildren }, { reason: string | null }> {
  override state = { reason: null };

  static override getDerivedStateFromError(error: unknown): { reason: string } {
    return { reason: String(error) };
  }

  render() {
    return this.state.reason === null ? this.props.children : <Failed reason={this.state.reason} />;
  }
}

function Failed({ reason }: { reason: string }) {
  return (
    <section class="card verdict" id="verdict" tabIndex={-1} aria-label={words.label}>
      <Stamp verdict="cannot be judged" />
      <p class="fault open">
        {words.failedHere} <span class="mono">{outside(reason)}</span>
      </p>
    </section>
  );
}

/** For those who listen. */
function said(found: Found): string {
  if (found.kind === "failed") return words.failedHere;
  const judged = found.kind === "game" ? found.verdict.verdict : found.verdict.ok ? "valid" : "invalid";
  const proven = found.verdict.claims.length;
  return words.said(stamp[judged], proven);
}

function Page() {
  const games = files.value.filter(({ kind }) => kind !== "receipts");
  const file = games[chosen.value];
  const changed = forgery.value;
  const given = useMemo<Receipt[]>(() => typed.value.map((head) => ({ head, seat: null })), [typed.value]);
  const [seen, setSeen] = useState<Look | null>(null);
  const [late, setLate] = useState(false);
  const on = [file, changed, files.value, given];
  useEffect(() => {
    if (!file) return setSeen(null);
    let here = true;
    lines.value = 0;
    const patience = setTimeout(() => setLate(true), 200);
    void look(file, changed ? { ...file, bytes: changed.bytes } : file, given, on).then((made) => {
      if (!here || !made) return;
      clearTimeout(patience);
      setLate(false);
      setSeen(made);
    });
    return () => {
      here = false;
      clearTimeout(patience);
      setLate(false);
    };
  }, on);
  const settled = !file || (seen?.on.every((one, i) => one === on[i]) ?? false);
  const { found, took = 0, serial = 0 } = !late && seen && seen.file === file ? seen : {};
  return (
    <>
      <a class="skip" href="#verdict">{page.skip}</a>
      <div class="awning" aria-hidden="true" />
      <div class="wrap">
        <header class="top">
          <span class="brand">
            <Tent />
            {page.brand}
          </span>
          <span class="tag ok">{page.offline}</span>
        </header>
        <main aria-busy={!settled}>
          <div class="intro">
            <div>
              <h1>{page.heading}</h1>
              <p>{page.lead}</p>
            </div>
            <Zone />
          </div>
          <Files />
          <p class="sr" role="status">
            {busy.value || late ? page.working : trouble.value || (found && said(found))}
          </p>
          {late && <p class="mute">{page.checking(lines.value)}</p>}
          {trouble.value && <p class="fault">{trouble.value}</p>}
          <Guard key={serial}>
            {found?.kind === "game" && <Game found={found} file={file} took={took} />}
            {found?.kind === "contest" && <ContestFile found={found} file={file} />}
            {found?.kind === "session" && <SessionFile found={found} file={file} />}
            {found?.kind === "failed" && <Failed reason={found.reason} />}
          </Guard>
        </main>
      </div>
      <footer class="low">
        <div class="wrap">
          <p>{foot.nothing}</p>
          <p>
            {foot.genuine} <code>{foot.genuineTool}</code> {foot.genuineAnd} <code>{foot.genuineCommand}</code>{" "}
            {foot.genuineEnd}
          </p>
          <p>
            <a href="" download="verify.html">{foot.save}</a>
          </p>
        </div>
      </footer>
    </>
  );
}

// All of it is in this one file, so nothing is fetched for this.
void loadCurve().then(() => {
  lookAtSample();
  render(<Page />, document.body);
});
