/** A contest's file: its standings, computed again. */
import type { ContestVerdict } from "../check/contest.ts";
import type { Json, JsonObject } from "../check/json.ts";
import { contest as words, outside } from "./words.ts";

const fixed = (value: Json) => typeof value === "string" ? Number(value).toFixed(3) : words.none;

function Row({ row }: { row: JsonObject }) {
  const range = row.low === null ? words.none : `${fixed(row.low)} – ${fixed(row.high)}`;
  return (
    <tr>
      <td>{"rank" in row ? `${row.rank}.` : words.training}</td>
      <th scope="row">{outside(`${row.team_name} ${row.software_version}`)}</th>
      <td class="num">{`${row.solved}/${row.games}`}</td>
      <td class="num">{fixed(row.mean)}</td>
      <td class="num">{range}</td>
      <td class="num">{row.worst === null ? words.none : `${row.worst}`}</td>
    </tr>
  );
}

export function Standings({ verdict: { standings } }: { verdict: ContestVerdict }) {
  if (!standings) return null;
  const rows = [...standings.official as JsonObject[], ...standings.training as JsonObject[]];
  const pairs = standings.pairs as JsonObject[];
  return (
    <section class="card steps" aria-labelledby="standings">
      <div class="head">
        <h2 id="standings">{words.standings}</h2>
      </div>
      <div class="wide" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {words.columns.map((column) => column ? <th scope="col" key={column}>{column}</th> : <td key="place" />)}
            </tr>
          </thead>
          <tbody>{rows.map((row, i) => <Row row={row} key={i} />)}</tbody>
        </table>
      </div>
      {pairs.length > 0 && (
        <div class="pairs">
          <h3>{words.pairs}</h3>
          <ul>{pairs.map((pair, i) => <li key={i}>{outside(`${pair.says}`)}</li>)}</ul>
        </div>
      )}
    </section>
  );
}
