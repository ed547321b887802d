/** The coach's review of a game that is over: the chart, luck apart from skill, the decisions that mattered. */
import "./first.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { arena, Problem } from "../arena/api.ts";
import { learn } from "../arena/learning.ts";
import type { Told } from "../arena/record.ts";
import { told as shown, w } from "../words.ts";
import { r } from "../words/review.ts";
import {
  type Alternative,
  type Figure,
  isGame,
  less,
  plain,
  type Scale,
  scaled,
  signed,
  Try,
  Worths,
} from "./trying.tsx";

interface Step {
  line: number;
  kind: string;
  seat: number | null;
  says: string;
  values: Figure[];
  cost?: Figure;
  verdict?: string;
  why?: string | null;
  alternatives?: Alternative[];
}

interface Reviewed {
  title: string;
  unit: Scale["unit"];
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
}

/** The decisions that are shown. */
const MOST = 3;

interface ReviewProps {
  id: string;
  told: Told;
  /** The seat that it is for. */
  seat: number;
  /** Whether that seat is ours: then what went wrong is kept, to be practised. */
  own: boolean;
  onGo: (line: number) => void;
}

export function Review({ id, told, seat, own, onGo }: ReviewProps) {
  const [review, setReview] = useState<Reviewed | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    arena.review<Reviewed>(id).then(
      (found) => {
        setReview(found);
        const places = costly(found, seat).map(({ line }) => ({ table: id, line, seat, title: found.title }));
        if (own) void learn(places);
      },
      (error) => setProblem(error instanceof Problem ? error.detail : String(error)),
    );
  }, [id]);
  if (problem) return <p class="notice" role="status">{shown(problem)}</p>;
  if (!review) return <p class="mute" role="status">{r.thinking}</p>;
  return <Account id={id} told={told} review={review} seat={seat} onGo={onGo} />;
}

/** Where a seat gave something away, the dearest first. */
function costly({ steps }: Reviewed, seat: number): Step[] {
  const cost = (step: Step) => step.cost?.value ?? 0;
  const found = steps.filter((step) => step.kind === "decision" && step.seat === seat && cost(step) > 0);
  return found.sort((a, b) => cost(b) - cost(a));
}

function Account({ id, told, review, seat, onGo }: Omit<ReviewProps, "own"> & { review: Reviewed }) {
  const { unit, basis, steps } = review;
  const mine = review.seats.find((one) => one.seat === seat) ?? review.seats[0];
  const scale = { unit, seat: mine.seat };
  const parts: [string, Figure][] = [
    [r.luck, mine.luck],
    [r.own, less(mine.cost)],
    [r.given, mine.given],
    ...(mine.model.value ? [[r.model, mine.model] as [string, Figure]] : []),
  ];
  const mattered = costly(review, mine.seat).slice(0, MOST);
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView(), []); // it was asked for, and may lie below all claims
  return (
    <section class="card pane review" aria-labelledby="review-title" ref={box}>
      <div class="head">
        <h2 id="review-title">{r.title}</h2>
        {basis.exact && <span class="tag">{w.table.exact}</span>}
      </div>
      <p>{r.decisions(mine.decisions, mine.mistakes)}</p>
      <Chart start={mine.start} steps={steps} scale={scale} onGo={onGo} />
      <table class="sum">
        <caption class="sr">{r.adds}</caption>
        <tbody>
          <tr>
            <th scope="row">{r.start}</th>
            <td>{plain(scale, mine.start)}</td>
          </tr>
          {parts.map(([words, figure]) => (
            <tr key={words}>
              <th scope="row">{words}</th>
              <td>{signed(scale, figure)}</td>
            </tr>
          ))}
          {mine.result && (
            <tr class="total">
              <th scope="row">{r.result}</th>
              <td>{plain(scale, mine.result)}</td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="small mute">
        {r.unit(shown(unit.many))} {shown(basis.says)}{" "}
        {mine.odds && r.odds(mine.odds.good, mine.odds.low, mine.odds.high)}
      </p>
      {mattered.length > 0 && (
        <>
          <h3>{r.mattered}</h3>
          <ol class="moments">
            {mattered.map((step) => (
              <Mattered
                id={id}
                told={told}
                step={step}
                scale={scale}
                title={review.title}
                onGo={onGo}
                key={step.line}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** A decision that cost something. What was better is not told before it was tried again, or asked for. */
function Mattered({ id, told, step, scale, title, onGo }: {
  id: string;
  told: Told;
  step: Step;
  scale: Scale;
  title: string;
  onGo: (line: number) => void;
}) {
  const [trying, setTrying] = useState(false);
  const { line, says, verdict, cost, why, alternatives } = step;
  return (
    <li>
      <p>
        <button type="button" class="btn" onClick={() => onGo(line)}>{r.line(line)}</button>{" "}
        <strong>{shown(says)}</strong> {verdict && (
          <span class="tag">
            {shown(verdict)}
            {cost ? `: ${r.costs(signed(scale, less(cost)), shown(scale.unit.many))}` : ""}
          </span>
        )}
      </p>
      {trying
        ? (
          <Try told={told} place={{ table: id, line, seat: scale.seat, title }}>
            <button type="button" class="btn" onClick={() => setTrying(false)}>{r.away}</button>
          </Try>
        )
        : (
          <>
            <button type="button" class="btn" onClick={() => setTrying(true)}>{r.again}</button>
            <details>
              <summary>{r.whatEach}</summary>
              {why && <p class="small mute">{shown(why)}</p>}
              <Worths scale={scale} moves={alternatives ?? []} />
            </details>
          </>
        )}
    </li>
  );
}

/** What the seat could expect, from step to step. A click goes to the line. */
function Chart({ start, steps, scale, onGo }: {
  start: Figure;
  steps: readonly Step[];
  scale: Scale;
  onGo: (line: number) => void;
}) {
  const { unit, seat } = scale;
  const all = [start, ...steps.map(({ values }) => values[seat])].map((figure) => scaled(scale, figure));
  const seen = all.filter((value) => !isGame(scale, value)); // a whole game would flatten all else: it is cut
  const values = all.map((value) => Math.min(Math.max(value, Math.min(...seen)), Math.max(...seen)));
  if (values.length < 2 || !seen.length) return null;
  const low = Math.min(0, ...values), high = Math.max(unit.scale > 1 ? unit.scale : 0, ...values);
  const width = matchMedia("(min-width: 45rem)").matches ? 600 : 320; // a phone gets the same type, not a smaller one
  const x = (i: number) => 44 + i / (values.length - 1) * (width - 60);
  const y = (value: number) => 150 - (value - low) / (high - low || 1) * 134;
  const path = values.map((value, i) => `${i ? `H${x(i).toFixed(1)}V` : `M${x(0)} `}${y(value).toFixed(1)}`).join("");
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 0 ${width} 172`}
        role="img"
        aria-label={r.chart(values.map((value) => value.toFixed(0)).join(", "))}
      >
        {[low, (low + high) / 2, high].map((tick) => (
          <g key={tick}>
            <path d={`M44 ${y(tick)}H${width - 16}`} stroke="var(--line)" />
            <text x="38" y={y(tick) + 4} text-anchor="end" font-size="12" fill="var(--ink-2)">
              {tick.toFixed(unit.scale > 1 ? 0 : 1)}
            </text>
          </g>
        ))}
        <path d={path} fill="none" stroke="var(--you-line)" stroke-width="3" stroke-linejoin="round" />
        {steps.map((step, i) => (
          step.kind === "decision" && step.seat === seat && (
            <rect
              x={x(i + 1) - 5}
              y={y(values[i + 1]) - 5}
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
      <figcaption class="small mute">{r.caption}</figcaption>
    </figure>
  );
}
