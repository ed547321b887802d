/** The coach's review of a game that is over: the chart, luck apart from skill, the decisions that mattered. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { arena, Problem } from "../arena/api.ts";
import { told, w } from "../words.ts";

/** A number of a review: exact as a fraction where it is known so. */
interface Figure {
  exact: string | null;
  value: number;
}

interface Step {
  line: number;
  kind: string;
  seat: number | null;
  says: string;
  values: Figure[];
  cost?: Figure;
  verdict?: string;
  why?: string | null;
  alternatives?: { says: string; value: Figure; cost: Figure; mix: Figure | null }[];
}

export interface Reviewed {
  unit: { name: string; one: string; many: string; scale: number };
  basis: { exact: boolean; says: string };
  seats: {
    seat: number;
    name: string;
    start: Figure;
    result: Figure | null;
    luck: Figure;
    cost: Figure;
    given: Figure;
    model: Figure;
    decisions: number;
    mistakes: number;
    odds: { good: boolean; low: number; high: number } | null;
  }[];
  steps: Step[];
  moments: number[];
}

export function Review({ id, seat, onGo }: { id: string; seat: number; onGo: (line: number) => void }) {
  const [review, setReview] = useState<Reviewed | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    arena.review<Reviewed>(id).then(
      setReview,
      (error) => setProblem(error instanceof Problem ? error.detail : String(error)),
    );
  }, [id]);
  if (problem) return <p class="notice" role="status">{told(problem)}</p>;
  if (!review) return <p class="mute" role="status">{w.review.thinking}</p>;
  return <Told review={review} seat={seat} onGo={onGo} />;
}

function Told({ review, seat, onGo }: { review: Reviewed; seat: number; onGo: (line: number) => void }) {
  const { unit, basis, steps } = review;
  const mine = review.seats.find((one) => one.seat === seat) ?? review.seats[0];
  const sign = (figure: Figure) => {
    const value = figure.value * unit.scale;
    return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(unit.scale > 1 ? 1 : 2)}`;
  };
  const plain = (figure: Figure) => (figure.value * unit.scale).toFixed(unit.scale > 1 ? 1 : 2);
  const chosen = review.moments.map((index) => steps[index]).filter((step) =>
    step.seat === mine.seat || step.seat === null
  );
  const less = (figure: Figure): Figure => ({ ...figure, value: -figure.value });
  const parts: [string, Figure][] = [
    [w.review.luck, mine.luck],
    [w.review.own, less(mine.cost)],
    [w.review.given, mine.given],
    ...(mine.model.value ? [[w.review.model, mine.model] as [string, Figure]] : []),
  ];
  return (
    <section class="card pane review" aria-labelledby="review-title">
      <div class="head">
        <h2 id="review-title">{w.review.title}</h2>
        {basis.exact && <span class="tag">{w.table.exact}</span>}
      </div>
      <p>{w.review.decisions(mine.decisions, mine.mistakes)}</p>
      <Chart steps={steps} seat={mine.seat} unit={unit} onGo={onGo} />
      <table class="sum">
        <caption class="sr">{w.review.adds}</caption>
        <tbody>
          <tr>
            <th scope="row">{w.review.start}</th>
            <td>{plain(mine.start)}</td>
          </tr>
          {parts.map(([words, figure]) => (
            <tr key={words}>
              <th scope="row">{words}</th>
              <td>{sign(figure)}</td>
            </tr>
          ))}
          {mine.result && (
            <tr class="total">
              <th scope="row">{w.review.result}</th>
              <td>{plain(mine.result)}</td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="small mute">
        {w.review.unit(told(unit.many))} {told(basis.says)}{" "}
        {mine.odds && w.review.odds(mine.odds.good, mine.odds.low, mine.odds.high)}
      </p>
      {chosen.length > 0 && <h3>{w.review.mattered}</h3>}
      <ol class="moments">
        {chosen.slice(0, 3).map((step) => (
          <li key={step.line}>
            <p>
              <button type="button" class="btn" onClick={() => onGo(step.line)}>{w.review.line(step.line)}</button>{" "}
              <strong>{told(step.says)}</strong>{" "}
              {step.verdict && (
                <span class="tag">{told(step.verdict)}{step.cost ? `: ${sign(less(step.cost))}` : ""}</span>
              )}
            </p>
            {step.why && <p class="small mute">{told(step.why)}</p>}
            <ul class="alternatives">
              {step.alternatives?.slice(0, 6).map(({ says, value, cost }) => (
                <li key={says}>
                  <span>{told(says)}</span>
                  <span class="number">{plain(value)}</span>
                  <span class="small mute">{cost.value ? sign(less(cost)) : w.review.best}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What the seat could expect, from step to step. A click goes to the line. */
function Chart({ steps, seat, unit, onGo }: {
  steps: readonly Step[];
  seat: number;
  unit: Reviewed["unit"];
  onGo: (line: number) => void;
}) {
  const values = steps.map((step) => step.values[seat].value * unit.scale);
  if (values.length < 2) return null;
  const low = Math.min(0, ...values), high = Math.max(unit.scale > 1 ? unit.scale : 0, ...values);
  const x = (i: number) => 44 + i / (values.length - 1) * 540;
  const y = (value: number) => 150 - (value - low) / (high - low || 1) * 134;
  const path = values.map((value, i) => `${i ? `H${x(i).toFixed(1)}V` : `M${x(0)} `}${y(value).toFixed(1)}`).join("");
  return (
    <figure>
      <svg
        class="chart"
        viewBox="0 0 600 172"
        role="img"
        aria-label={w.review.chart(values.map((value) => value.toFixed(0)).join(", "))}
      >
        {[low, (low + high) / 2, high].map((tick) => (
          <g key={tick}>
            <path d={`M44 ${y(tick)}H584`} stroke="var(--line)" />
            <text x="38" y={y(tick) + 4} text-anchor="end" font-size="12" fill="var(--ink-2)">
              {tick.toFixed(unit.scale > 1 ? 0 : 1)}
            </text>
          </g>
        ))}
        <path d={path} fill="none" stroke="var(--you-line)" stroke-width="3" stroke-linejoin="round" />
        {steps.map((step, i) => (
          step.kind === "decision" && step.seat === seat && (
            <rect
              x={x(i) - 5}
              y={y(values[i]) - 5}
              width="10"
              height="10"
              rx="2"
              fill={step.cost?.value ? "var(--bad)" : "var(--ok-line)"}
              stroke="var(--card)"
              stroke-width="1.5"
              onClick={() => onGo(step.line)}
              key={i}
            />
          )
        ))}
      </svg>
      <figcaption class="small mute">{w.review.caption}</figcaption>
    </figure>
  );
}
