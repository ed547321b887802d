/** The steps as a strip of tickets. Behind each stand the formula and the bytes. */
import { useState } from "preact/hooks";
import { type Named, type Part, toHex, type Working } from "../check/bytes.ts";
import { Cross, Tick } from "../look/seals.tsx";
import type { RawLine } from "./examine.ts";
import type { Step } from "./steps.ts";
import { formula, gives, outside, steps as words } from "./words.ts";

/** So many are shown at first. */
const FIRST = 150;
/** So many draws of one line are shown one by one. */
const MOST = 24;

export function Steps({ steps, lines, took }: { steps: readonly Step[]; lines: readonly RawLine[]; took: number }) {
  const [all, setAll] = useState(false);
  const cut = !all && steps.length > FIRST + 10;
  // What is wrong stands last, and is always shown.
  const shown = cut ? [...steps.slice(0, FIRST), ...steps.slice(FIRST).filter(({ good }) => !good)] : steps;
  return (
    <section class="card steps" aria-labelledby="steps">
      <div class="head">
        <h2 id="steps">{words.heading}</h2>
        <span class="small mute" data-took>{words.took(steps.length, took)}</span>
        <p class="small mute">{words.order}</p>
      </div>
      <ol class="strip">
        {shown.map((step, i) => <Ticket step={step} lines={lines} key={i} />)}
      </ol>
      {cut && (
        <button type="button" class="btn quiet" onClick={() => setAll(true)}>
          {words.more(steps.length - shown.length)}
        </button>
      )}
    </section>
  );
}

function label(lines: readonly number[]): string {
  if (!lines.length) return words.all;
  const [first, last] = [Math.min(...lines), Math.max(...lines)];
  return first === last ? `${first}` : `${first}–${last}`;
}

function Ticket({ step, lines }: { step: Step; lines: readonly RawLine[] }) {
  const side = step.by === "house" ? " house" : step.by === "self" ? " you" : "";
  return (
    <li class={`ticket${side}${step.good ? "" : " bad"}`}>
      <span class="n">{label(step.lines)}</span>
      <div class="told">
        <h3 class="what">{step.title}</h3>
        {step.picture && <p class="picture">{step.picture}</p>}
        {step.words && <p class="words">{step.words}</p>}
        {step.difference?.map((difference, i) => (
          <dl class="difference" key={i}>
            {[difference.recorded, difference.computed].map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd class="mono">{value}</dd>
              </div>
            ))}
          </dl>
        ))}
        <Bytes step={step} lines={lines} />
      </div>
      <span class="mark">{step.good ? <Tick /> : <Cross />}</span>
    </li>
  );
}

function Bytes({ step, lines }: { step: Step; lines: readonly RawLine[] }) {
  const [open, setOpen] = useState(false);
  if (!step.workings.length && !step.shown.length) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.bytes}</summary>
      {open && (
        <>
          <Workings workings={step.workings} />
          {step.shown.map((line) => <Raw line={line} raw={lines[line - 1]} key={line} />)}
        </>
      )}
    </details>
  );
}

function Workings({ workings }: { workings: readonly Working[] }) {
  const draws = workings.filter(({ kind }) => kind !== "digest");
  return (
    <>
      {workings.map((working, i) => working.kind === "digest" && <Digest working={working} key={i} />)}
      {draws.length > 0 && (
        <ol class="rule draws">
          {draws.slice(0, MOST).map((draw, i) => <li class="mono" key={i}>{formula(draw)}</li>)}
          {draws.length > MOST && <li>…</li>}
        </ol>
      )}
    </>
  );
}

function Digest({ working }: { working: Working & { kind: "digest" } }) {
  const parts = working.parts.filter(([name]) => !name.startsWith("tag"));
  return (
    <div class="working">
      <p class="rule mono">{formula(working)}</p>
      <dl class="kv">
        {parts.map((part, i) => <Member part={part} key={i} />)}
        <div class="gives">
          <dt>{gives}</dt>
          <dd class="mono">{grouped(working.gives)}</dd>
        </div>
      </dl>
    </div>
  );
}

function Member({ part: [name, value] }: { part: Named }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="mono">{bytes(value)}</dd>
    </div>
  );
}

function bytes(part: Part): string {
  if (part instanceof Uint8Array) return part.length ? grouped(toHex(part)) : "–";
  return typeof part === "string" ? outside(part) : part.toString();
}

function grouped(hex: string): string {
  return hex.replace(/.{8}(?=.)/g, "$& ");
}

function Raw({ line, raw }: { line: number; raw: RawLine | undefined }) {
  if (!raw) return null;
  return (
    <dl class="kv">
      <div>
        <dt>{words.theLine(line)}</dt>
        <dd class="mono">{outside(raw.text.replace(/\n$/, ""))}</dd>
      </div>
      <div>
        <dt>{words.hash(line)}</dt>
        <dd class="mono">{grouped(raw.hash)}</dd>
      </div>
    </dl>
  );
}
