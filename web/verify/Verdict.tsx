/** The verdict as a rubber stamp, how deep the check went, and forgeries to try. */
import type { ComponentChildren } from "preact";
import type { Depth, Verdict } from "../check/check.ts";
import { Cross, Tick } from "../look/seals.tsx";
import type { Forgery } from "./forge.ts";
import type { Difference } from "./steps.ts";
import { faults, forged, otherFault, outside, points, stamp, verdict as words } from "./words.ts";

const DEPTHS: readonly Depth[] = ["chain", "chance and seals", "rules"];
/** Faults that are found at the second depth. */
const OF_CHANCE = ["fair/bad-evidence", "fair/unopened", "share/bad", "table/mismatch"];

type State = "passed" | "failed" | "notReached";

function states(verdict: Verdict): State[] {
  const reached = DEPTHS.indexOf(verdict.depth);
  if (verdict.ok) return ["passed", "passed", "passed"];
  if (verdict.verdict !== "invalid") return DEPTHS.map((_, i) => i <= reached ? "passed" : "notReached");
  const failed = reached < 0 ? 0 : OF_CHANCE.includes(verdict.fault?.code ?? "") ? 1 : 2;
  return DEPTHS.map((_, i) =>
    i < failed ? (i <= reached || i === 0 ? "passed" : "notReached") : i === failed ? "failed" : "notReached"
  );
}

export function Depths({ verdict }: { verdict: Verdict }) {
  const found = states(verdict);
  return (
    <ol class="depths" aria-label={words.depths}>
      {DEPTHS.map((depth, i) => {
        const [name, says] = words.depth[depth];
        return (
          <li class={found[i]} key={depth}>
            <span class="sign">{found[i] === "passed" ? <Tick /> : found[i] === "failed" ? <Cross /> : "–"}</span>
            <span>
              <strong>{name}</strong> <span class="mute">{found[i] === "passed" ? says : words[found[i]]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

export function Stamp({ verdict }: { verdict: string }) {
  const kind = verdict === "valid" ? "good" : verdict === "invalid" ? "broken" : "open";
  return <p class={`stamp ${kind}`}>{stamp[verdict]}</p>;
}

export function FaultText({ fault, owed, difference, judged = true }: {
  fault: { line: number | null; code: string; reason: string };
  /** Who stopped an unfinished game. */
  owed?: string;
  difference?: Difference;
  judged?: boolean;
}) {
  return (
    <p class={judged ? "fault" : "fault open"}>
      {!owed && <strong>{words.line(fault.line)}</strong>}
      {owed ??
        (difference ? words.differs(difference.recorded[1], difference.computed[1]) : faults[fault.code] ?? otherFault)}
      {" "}
      <span class="mono">{fault.code}: {outside(fault.reason)}</span>
    </p>
  );
}

export function About({ game, dealer, lines, seats, payoff }: {
  game: string;
  dealer: string;
  lines: number;
  seats: readonly string[];
  payoff: readonly number[] | null;
}) {
  const results = seats.map((seat, i) => payoff ? `${seat}\u00a0${points(payoff[i])}` : seat);
  return (
    <p class="about">
      <strong>{words.about(outside(game), outside(dealer))}</strong>
      <br />
      {[words.record(lines), ...results].join(" · ")}
    </p>
  );
}

/** What was changed, and how it shows. */
export function ForgedText({ forgery }: { forgery: Forgery }) {
  const { line, what, place, from, to, better } = forgery;
  const called = what === "draw" ? forged.draw(place) : forged[what];
  return <p class="forged">{forged.changed(line, called, from, to)} {better ? forged.better : forged.plain}</p>;
}

export function Acts({ children }: { children: ComponentChildren }) {
  return <div class="acts">{children}</div>;
}
