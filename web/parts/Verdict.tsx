/** The stamp, what the game proves, and what no record proves. */
import type { Verdict as Judged } from "../check/check.ts";
import { w } from "../words.ts";
import { answers as answerWords, claims as words, not, otherFault, stamp } from "../words/verdict.ts";
import { Answers } from "./Answers.tsx";

export function Stamp({ verdict }: { verdict: Judged["verdict"] }) {
  return <div class="stamp" data-verdict={verdict}>{stamp[verdict]}</div>;
}

interface VerdictProps {
  judged: Judged;
  /** How many count; `null` where a record needs none. */
  receipts: number | null;
  about: string;
  /** Why it could not be judged, where the page knows better than the code of the fault. */
  why?: string;
  children?: preact.ComponentChildren;
}

export function Verdict({ judged, receipts, about, why, children }: VerdictProps) {
  const { verdict, fault, claims, remarks, depth, answers, owed } = judged;
  const unknown = verdict === "cannot be judged" && fault ? w.wrong[fault.code] : w.verdict.short[verdict];
  const small = why ?? owed?.says ?? [unknown, depth === "rules" ? "" : w.verdict.depths[depth]].join(" ");
  return (
    <section class="card verdict" aria-labelledby="verdict-title" data-verdict={verdict} id="verdict">
      <h2 id="verdict-title" class="sr">{stamp[verdict]}</h2>
      <div class="top2">
        <Stamp verdict={verdict} />
        <div class="about">
          <strong>{about}</strong>
          <p class="small mute">{small}</p>
        </div>
      </div>
      {fault && verdict !== "cannot be judged" && verdict !== "unfinished" && (
        <p class="fault">
          <strong>{fault.line ? `${w.strip.at(fault.line)}: ` : ""}</strong>
          {w.wrong[fault.code] ?? otherFault} <span class="mono">{fault.code}</span>
        </p>
      )}
      {verdict === "valid" && <Answers answers={answers} />}
      {children && <div class="acts">{children}</div>}
      {!why && (
        <details class="proves">
          <summary>{answerWords.details}</summary>
          <ul class="claims">
            {claims.map(({ claim, name, condition, result, lines }) => (
              <li key={claim + name}>
                <span class="claim">
                  {words.named(words.names[claim] ?? claim, name)}
                </span>
                <span>
                  <b>{words.iff}</b> {condition}, <b>{words.then}</b> {result}.
                </span>
                <span class="small mute">{claim}{lines.length > 0 && ` · ${words.lines(lines)}`}</span>
              </li>
            ))}
          </ul>
          {!claims.length && <p class="mute">{w.verdict.provesNothing}</p>}
          {remarks.map((remark) => <p class="small mute" key={remark}>{remark}</p>)}
          <div class="not">
            <h3>{not.heading}</h3>
            <ul>
              {[...not.list, ...(receipts === null ? [] : [receipts ? not.orderShown : not.order])].map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </div>
        </details>
      )}
    </section>
  );
}
