/** verify.html: drop a game, and see whether it holds. Nothing is sent anywhere; the file's own policy forbids it. */
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { fromText } from "../check/bytes.ts";
import { loadCurve } from "../check/curve.ts";
import type { Receipt } from "../check/receipts.ts";
import { Tent } from "../look/seals.tsx";
import { NotProven, Proven } from "./Claims.tsx";
import { Standings } from "./Contest.tsx";
import { examine, type Examined, type ExaminedContest } from "./examine.ts";
import { type File as Dropped, fileOf } from "./files.ts";
import { forge, type Forgery } from "./forge.ts";
import { Steps } from "./Steps.tsx";
import { stepsOf } from "./steps.ts";
import { About, Acts, Depths, FaultText, ForgedText, Stamp } from "./Verdict.tsx";
import { claims, contest, foot, name, outside, page, stamp, verdict as words, without } from "./words.ts";

declare const SAMPLE: { record: string; receipts: string };

const files = signal<readonly Dropped[]>([]);
/** Which of the games is looked at. */
const chosen = signal(0);
/** Receipts that were typed in. */
const typed = signal<readonly string[]>([]);
const forgery = signal<Forgery | null>(null);
const trouble = signal("");
/** Files are being read. */
const busy = signal(false);

function look(found: readonly Dropped[]): void {
  files.value = found;
  chosen.value = 0;
  typed.value = [];
  forgery.value = null;
}

function lookAtSample(): void {
  look([
    fileOf(page.sampleName, fromText(SAMPLE.record)),
    fileOf(page.sampleReceipts, fromText(SAMPLE.receipts)),
  ]);
}

/** Games that come alone replace what was there. Receipts that come alone join it. */
async function take(list: FileList | null | undefined): Promise<void> {
  const read: Dropped[] = [];
  trouble.value = "";
  busy.value = true;
  await new Promise((painted) => setTimeout(painted)); // so that it can be seen before the work begins
  for (const file of list ?? []) {
    try {
      read.push(fileOf(file.name, new Uint8Array(await file.arrayBuffer())));
    } catch {
      trouble.value = page.unreadableFile(outside(file.name));
    }
  }
  busy.value = false;
  if (!read.length) return;
  if (read.every(({ kind }) => kind === "receipts")) files.value = [...files.value, ...read];
  else look(read);
}

function Zone() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <div class={busy.value ? "zone busy" : "zone"}>
      <p>
        <strong>{page.drop}</strong>
        <br />
        <span class="small mute">{page.dropMore}</span>
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={page.choose}
        onChange={({ currentTarget }) => {
          void take(currentTarget.files).then(() => currentTarget.value = "");
        }}
      />
      <button type="button" class="btn" onClick={() => input.current?.click()}>{page.choose}</button>
      <button type="button" class="btn quiet" onClick={lookAtSample}>{page.sample}</button>
    </div>
  );
}

/** What is looked at, and what may be taken away again. */
function Files() {
  const games = files.value.filter(({ kind }) => kind !== "receipts");
  const receipts = files.value.filter(({ kind }) => kind === "receipts");
  return (
    <div class="files">
      <div class="choice" role="group" aria-label={page.games}>
        {games.map((file, i) => (
          <button
            type="button"
            class="chip"
            aria-pressed={i === chosen.value}
            key={i}
            onClick={() => {
              chosen.value = i;
              forgery.value = null;
            }}
          >
            {outside(file.name)}
          </button>
        ))}
      </div>
      {receipts.map((file) => (
        <Removable
          key={file.name}
          text={outside(file.name)}
          remove={() => files.value = files.value.filter((other) => other !== file)}
        />
      ))}
      {typed.value.map((head) => (
        <Removable
          key={head}
          text={page.receiptKept(outside(head))}
          remove={() => typed.value = typed.value.filter((other) => other !== head)}
        />
      ))}
      <form
        class="receipt"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("head") as HTMLInputElement;
          const head = field.value.trim();
          if (head && !typed.value.includes(head)) typed.value = [...typed.value, head];
          field.value = "";
        }}
      >
        <label class="small" for="head">{page.receiptLabel}</label>
        <input
          id="head"
          name="head"
          class="mono"
          autocomplete="off"
          spellcheck={false}
          placeholder={page.receiptHint}
        />
        <button type="submit" class="btn">{page.receiptAdd}</button>
      </form>
    </div>
  );
}

function Removable({ text, remove }: { text: string; remove: () => void }) {
  return (
    <span class="chip">
      {text}
      <button type="button" aria-label={page.remove(text)} onClick={remove}>×</button>
    </span>
  );
}

function save(bytes: Uint8Array, called: string): void {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = called;
  link.click();
  URL.revokeObjectURL(url);
}

/** What is said where nothing is claimed. */
const OTHERWISE = {
  valid: claims.none,
  invalid: claims.broken,
  unfinished: words.unfinished,
  "cannot be judged": claims.unknown,
};

function Game({ found, file, took }: { found: Examined; file: Dropped; took: number }) {
  const { verdict, lines, following } = found;
  const steps = useMemo(() => stepsOf(found), [found]);
  const wrong = steps.find(({ good }) => !good);
  const broken = verdict.fault?.code === "transcript/broken-chain" ? verdict.fault.line : null;
  const start = lines[0]?.event;
  const seats = following?.seats.map((seat) => name(`${seat.name}`)) ?? [];
  const receipts = verdict.claims.some(({ witness }) => witness && witness.by !== "house");
  const change = (better: boolean) => () => forgery.value = forge(file.bytes, better);
  return (
    <div class="v">
      <div class="left">
        <section class="card verdict" id="verdict" tabIndex={-1} aria-label={words.label}>
          <div class="top2">
            <Stamp verdict={verdict.verdict} />
            {start && (
              <About
                game={`${start.game}`}
                dealer={`${start.dealer}`}
                lines={lines.length}
                seats={seats}
                payoff={verdict.payoff as number[] | null}
              />
            )}
          </div>
          {forgery.value && <ForgedText forgery={forgery.value} />}
          {verdict.fault && (
            <FaultText
              fault={verdict.fault}
              difference={verdict.depth === "none" ? undefined : wrong?.difference?.[0]}
              judged={verdict.verdict === "invalid"}
            />
          )}
          <Depths verdict={verdict} />
          {verdict.remarks.length > 0 && (
            <ul class="small remarks">{verdict.remarks.map((remark, i) => <li key={i}>{remark}</li>)}</ul>
          )}
          {(verdict.ok || forgery.value) && (
            <Acts>
              <span class="small mute whole">{words.try}</span>
              <button type="button" class="btn" aria-pressed={forgery.value?.better === false} onClick={change(false)}>
                {words.change}
              </button>
              <button type="button" class="btn" aria-pressed={forgery.value?.better === true} onClick={change(true)}>
                {words.forge}
              </button>
              {forgery.value && (
                <button type="button" class="btn go" onClick={() => forgery.value = null}>{words.undo}</button>
              )}
            </Acts>
          )}
          <button type="button" class="btn quiet" onClick={() => save(forgery.value?.bytes ?? file.bytes, file.name)}>
            {words.save}
          </button>
        </section>
        <NotProven receipts={receipts} />
        <Proven
          claims={verdict.claims}
          heading={claims.heading}
          otherwise={OTHERWISE[verdict.verdict]}
        />
      </div>
      <div class="right">
        {steps.length > 0 && <Steps steps={steps} lines={lines} took={took} />}
        <Without file={file.name} line={broken ?? Math.min(3, lines.length - 1)} />
      </div>
    </div>
  );
}

function ContestFile({ found: { verdict }, file }: { found: ExaminedContest; file: Dropped }) {
  const games = verdict.standings?.games as number | undefined;
  return (
    <div class="v">
      <div class="left">
        <section class="card verdict" id="verdict" tabIndex={-1} aria-label={words.label}>
          <div class="top2">
            <Stamp verdict={verdict.ok ? "valid" : "invalid"} />
            {verdict.contest !== null && (
              <p class="about">
                <strong>{contest.about(outside(verdict.contest))}</strong>
                <br />
                {games !== undefined && contest.games(games, verdict.transcripts)}
              </p>
            )}
          </div>
          {verdict.fault && <FaultText fault={verdict.fault} />}
        </section>
        <NotProven receipts={verdict.claims.some(({ claim }) => claim === "ORDERED")} />
        <Proven claims={verdict.claims} heading={claims.headingContest} otherwise={claims.broken} />
      </div>
      <div class="right">
        <Standings verdict={verdict} />
        <Without file={file.name} line={2} contest />
      </div>
    </div>
  );
}

/** How to look at it elsewhere. `line`: one that another line follows; below 1 if there is none. */
function Without({ file, line, contest }: { file: string; line: number; contest?: boolean }) {
  const plain = /^[\w.-]+$/.test(file) ? file : "game.jsonl";
  const named = contest ? `--contest ${plain}` : plain;
  const rows = [without.python(named), without.node(named)];
  if (line >= 1) rows.unshift(without.openssl(line, plain));
  return (
    <section class="card without" aria-labelledby="without">
      <h2 id="without">{without.heading}</h2>
      <p class="small mute">{without.lead}</p>
      <pre
        tabIndex={0}
      >{rows.map(([command, says]) => <span key={command}>{command} <span class="c">{says}</span></span>)}</pre>
      <p class="small mute">{without.agree}</p>
    </section>
  );
}

function Page() {
  const games = files.value.filter(({ kind }) => kind !== "receipts");
  const file = games[chosen.value];
  const changed = forgery.value;
  const given = useMemo<Receipt[]>(() => typed.value.map((head) => ({ head, seat: null })), [typed.value]);
  const [found, took] = useMemo(() => {
    const began = performance.now();
    const looked = file && examine(changed ? { ...file, bytes: changed.bytes } : file, files.value, given);
    return [looked, performance.now() - began] as const;
  }, [file, changed, files.value, given]);
  const stamped = found ? found.kind === "game" ? found.verdict.verdict : found.verdict.ok ? "valid" : "invalid" : "";
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
            {busy.value
              ? page.working
              : trouble.value || (found && words.said(stamp[stamped], found.verdict.claims.length))}
          </p>
          {trouble.value && <p class="fault">{trouble.value}</p>}
          {found?.kind === "game" && <Game found={found} file={file} took={took} />}
          {found?.kind === "contest" && <ContestFile found={found} file={file} />}
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
