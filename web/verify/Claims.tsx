/** What a record proves, with every condition; and what none can prove. */
import type { Claim } from "../check/claims.ts";
import { claims as words, not } from "./words.ts";

export function NotProven({ receipts }: { receipts: boolean }) {
  return (
    <section class="card pane not" aria-labelledby="not">
      <h2 id="not">{not.heading}</h2>
      <ul>
        {[...not.list, receipts ? not.orderShown : not.order].map((one) => <li key={one}>{one}</li>)}
      </ul>
    </section>
  );
}

export function Proven({ claims, heading, otherwise }: {
  claims: readonly Claim[];
  heading: string;
  otherwise: string;
}) {
  return (
    <section class="card pane" aria-labelledby="proves">
      <h2 id="proves">{heading}</h2>
      {claims.length
        ? <ul class="claims">{claims.map((claim, i) => <Proof claim={claim} key={i} />)}</ul>
        : <p class="mute">{otherwise}</p>}
    </section>
  );
}

function Proof({ claim: { claim, name, condition, result, lines, witness } }: { claim: Claim }) {
  const told = words.witness(witness, claim === "SEALED" ? "turn" : "run");
  return (
    <li>
      <span class="tag-line mono">{claim}</span>
      <h3>{words.named(words.names[claim] ?? claim, name)}</h3>
      <p>
        <strong>{words.iff}</strong> {condition}, <strong>{words.then}</strong> {result}.
      </p>
      <p class="small mute">{told} {lines.length > 0 && `(${words.lines(lines)})`}</p>
    </li>
  );
}
