/** The five questions of a verdict, each with its answer and the reason. */
import type { Answer } from "../check/answers.ts";
import { answers as words } from "../words/verdict.ts";

export function Answers({ answers }: { answers: readonly Answer[] }) {
  return (
    <dl class="answers">
      {answers.map(({ question, answer, says }) => (
        <div data-answer={answer ?? "none"} key={question}>
          <dt>{words.label(question)}</dt>
          <dd>
            <strong>{answer ?? words.none}</strong> <span>{says}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
