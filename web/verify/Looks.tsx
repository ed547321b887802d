/** All that is said of one file: the verdict, what it proves, the steps, and how to look at it elsewhere. */
import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Answers } from "../parts/Answers.tsx";
import { NotProven, Proven } from "./Claims.tsx";
import { Standings } from "./Contest.tsx";
import type { Examined, ExaminedContest, ExaminedSession } from "./examine.ts";
import type { File } from "./files.ts";
import { forge } from "./forge.ts";
import { forgery } from "./state.ts";
import { Steps } from "./Tickets.tsx";
import { stepsOf, textOf } from "./steps.ts";
import { About, Acts, Depths, FaultText, ForgedText, Stamp } from "./Verdict.tsx";
import { answers, claims, contest, name, outside, session, verdict as words, without } from "./words.ts";

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
  unfinished: claims.unfinished,
  "cannot be judged": claims.unknown,
};

export function Game({ found, file, took }: { found: Examined; file: File; took: number }) {
  const { verdict, lines, following } = found;
  const steps = useMemo(() => stepsOf(found), [found]);
  const wrong = steps.find(({ good }) => !good);
  const broken = verdict.fault?.code === "transcript/broken-chain" ? verdict.fault.line : null;
  const start = lines[0]?.event;
  const seats = following?.seats.map((seat) => name(seat.name)) ?? [];
  const receipts = verdict.claims.some(({ witness }) => witness && witness.by !== "house");
  const change = (better: boolean) => () => forgery.value = forge(file.bytes, better);
  const about = start && (
    <About
      game={textOf(start.game)}
      dealer={textOf(start.dealer)}
      lines={lines.length}
      seats={seats}
      payoff={verdict.payoff as number[] | null}
    />
  );
  return (
    <div class="v">
      <div class="left">
        <section class="card verdict" id="verdict" tabIndex={-1} aria-label={words.label}>
          <div class="top2">
            <Stamp verdict={verdict.verdict} />
            {verdict.result ? <p class="result">{verdict.result}</p> : about}
          </div>
          {forgery.value && <ForgedText forgery={forgery.value} />}
          {verdict.fault && (
            <FaultText
              fault={verdict.fault}
              owed={verdict.owed?.says}
              difference={verdict.depth === "none" ? undefined : wrong?.difference?.[0]}
              judged={verdict.verdict === "invalid"}
            />
          )}
          {verdict.ok ? <Answers answers={verdict.answers} /> : <Depths verdict={verdict} />}
          {verdict.result && about}
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
        <Details>
          <Proven claims={verdict.claims} heading={claims.heading} otherwise={OTHERWISE[verdict.verdict]} />
          <NotProven receipts={receipts} />
        </Details>
      </div>
      <div class="right">
        {steps.length > 0 && <Steps steps={steps} lines={lines} took={took} />}
        <Without file={file.name} line={broken ?? Math.min(3, lines.length - 1)} />
      </div>
    </div>
  );
}

export function ContestFile({ found: { verdict }, file }: { found: ExaminedContest; file: File }) {
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
          {verdict.result && <p class="result">{verdict.result}</p>}
          {verdict.ok && <Answers answers={verdict.answers} />}
        </section>
        <Details>
          <Proven claims={verdict.claims} heading={claims.headingContest} otherwise={claims.broken} />
          <NotProven receipts={verdict.claims.some(({ claim }) => claim === "ORDERED")} />
        </Details>
      </div>
      <div class="right">
        <Standings verdict={verdict} />
        <Without file={file.name} line={2} flag="--contest " />
      </div>
    </div>
  );
}

export function SessionFile({ found: { verdict }, file }: { found: ExaminedSession; file: File }) {
  return (
    <div class="v">
      <div class="left">
        <section class="card verdict" id="verdict" tabIndex={-1} aria-label={words.label}>
          <div class="top2">
            <Stamp verdict={verdict.ok ? "valid" : "invalid"} />
            {verdict.hands !== null && <p class="about">{session.about(verdict.hands)}</p>}
          </div>
          {verdict.fault && <FaultText fault={verdict.fault} />}
          {verdict.result && <p class="result">{verdict.result}</p>}
          {verdict.ok && <Answers answers={verdict.answers} />}
          {verdict.ok && <p>{session.not}</p>}
        </section>
        <Details>
          <Proven claims={verdict.claims} heading={claims.heading} otherwise={claims.broken} />
        </Details>
      </div>
      <div class="right">
        <Without file={file.name} line={0} />
      </div>
    </div>
  );
}

function Details({ children }: { children: ComponentChildren }) {
  return (
    <details class="rests">
      <summary>{answers.details}</summary>
      {children}
    </details>
  );
}

/** How to look at it elsewhere. `line`: one that another line follows; below 1 if there is none. */
function Without({ file, line, flag = "" }: { file: string; line: number; flag?: string }) {
  const plain = /^[\w.-]+$/.test(file) ? file : "game.jsonl";
  const rows = [without.python(flag + plain), without.node(plain)];
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
