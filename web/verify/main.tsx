/** verify.html: drop a game, and see whether it holds. Nothing is sent anywhere; the file's own policy forbids it. */
import { Component, type ComponentChildren, render } from "preact";
import { useMemo } from "preact/hooks";
import { loadCurve } from "../check/curve.ts";
import type { Receipt } from "../check/receipts.ts";
import { Tent } from "../look/seals.tsx";
import { examine, type Examined, type ExaminedContest } from "./examine.ts";
import type { File } from "./files.ts";
import { Files, Zone } from "./Zone.tsx";
import { ContestFile, Game } from "./Looks.tsx";
import { busy, chosen, files, forgery, lookAtSample, trouble, typed } from "./state.ts";
import { Stamp } from "./Verdict.tsx";
import { foot, outside, page, stamp, verdict as words } from "./words.ts";

/** So that each look is drawn anew. */
let looks = 0;

interface FailedLook {
  kind: "failed";
  reason: string;
}

/** What is found out about a file. Whatever goes wrong here is a mistake of ours, and no verdict. */
function examined(file: File, given: readonly Receipt[]): Examined | ExaminedContest | FailedLook {
  try {
    return examine(file, files.value, given);
  } catch (error) {
    return { kind: "failed", reason: String(error) };
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
function said(found: Examined | ExaminedContest | FailedLook): string {
  if (found.kind === "failed") return words.failedHere;
  const judged = found.kind === "game" ? found.verdict.verdict : found.verdict.ok ? "valid" : "invalid";
  return words.said(stamp[judged], found.verdict.claims.length);
}

function Page() {
  const games = files.value.filter(({ kind }) => kind !== "receipts");
  const file = games[chosen.value];
  const changed = forgery.value;
  const given = useMemo<Receipt[]>(() => typed.value.map((head) => ({ head, seat: null })), [typed.value]);
  const { found, took, serial } = useMemo(() => {
    const began = performance.now();
    const looked = file && examined(changed ? { ...file, bytes: changed.bytes } : file, given);
    return { found: looked, took: performance.now() - began, serial: looks++ };
  }, [file, changed, files.value, given]);
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
        <main>
          <div class="intro">
            <div>
              <h1>{page.heading}</h1>
              <p>{page.lead}</p>
            </div>
            <Zone />
          </div>
          <Files />
          <p class="sr" role="status">
            {busy.value ? page.working : trouble.value || (found && said(found))}
          </p>
          {trouble.value && <p class="fault">{trouble.value}</p>}
          <Guard key={serial}>
            {found?.kind === "game" && <Game found={found} file={file} took={took} />}
            {found?.kind === "contest" && <ContestFile found={found} file={file} />}
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
