/** The Blind Croupier: the browser is the Player of the document. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { isSafe } from "../arena/safe.ts";
import { saveFile } from "./save.ts";
import * as p from "../desk/player.ts";
import * as s from "../desk/shown.ts";
import { cardName } from "../look/cards.tsx";
import { Cards } from "../parts/Cards.tsx";
import { useChoice } from "../parts/choice.ts";
import { Advice, Afterwards } from "../parts/Holds.tsx";
import { KeyRing } from "../parts/KeyRing.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { Copy } from "../parts/Strip.tsx";
import { Verdict } from "../parts/Verdict.tsx";
import { told, w } from "../words.ts";
import { d } from "../words/croupier.ts";

const LEVELS = [1, 2, 3, 4, 5];
const BETS = [1, 2, 5, 10];
const PLENTY = 200;
const NONE = [false, false, false, false, false];
/** Blocks behind which a chain is seldom taken back. */
const DEEP = 6;

/** Money of a chain for people, cut after six digits. */
function inEther(wei: bigint): string {
  const whole = wei / 10n ** 18n, rest = wei % 10n ** 18n / 10n ** 12n;
  return `${whole}.${String(rest).padStart(6, "0")}`;
}

export function CroupierPage() {
  useEffect(() => {
    document.title = `${d.title} · ${w.name}`;
    if (isSafe) void p.open();
  }, []);
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <h1>{d.title}</h1>
      <p class="lead">{d.lead}</p>
      {!isSafe ? null : s.stage.value === "elsewhere"
        ? (
          <p class="notice">
            {d.elsewhere}{" "}
            <button type="button" class="btn" onClick={() => void p.open(true)}>{w.table.takeOver}</button>
          </p>
        )
        : s.stage.value === "node"
        ? <NodeForm />
        : s.stage.value === "away"
        ? <Away />
        : (
          <div class="table desk">
            <div class="stack">
              <Table />
              {s.ended.value && <End ended={s.ended.value} />}
              <Pays />
            </div>
            <div class="stack">
              <Account />
              <Steps />
            </div>
          </div>
        )}
    </main>
  );
}

/** Nobody to play with: there is no Croupier, or the Bank cannot be reached. */
function Away() {
  const alarm = s.alarm.value;
  return (
    <>
      {alarm
        ? <p class="notice bad" role="alert">{alarm.message}</p>
        : <p class="notice" role="alert">{s.chain.value ? "" : d.none} {told(s.trouble.value)}</p>}
      {s.chain.value > 0 && <NodeForm />}
    </>
  );
}

/** Asks for a node of the chain that the Croupier plays on. */
function NodeForm() {
  const [problem, setProblem] = useState("");
  const { url = "", confirmations = DEEP } = s.node.value ?? {};
  const submit = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const named = String(given.get("url")).trim();
    if (!/^https?:\/\/[^/\s]+/.test(named) || !URL.canParse(named)) return setProblem(d.node.bad);
    await p.useNode({ url: named, confirmations: Number(given.get("confirmations")) });
  };
  return (
    <form
      class="card pane stack"
      aria-labelledby="node-title"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h2 id="node-title">{d.node.title}</h2>
      <p>{d.node.ask(String(s.chain.value))}</p>
      <p class="field">
        <label for="node-url">{d.node.url}</label>
        <input id="node-url" name="url" inputMode="url" required defaultValue={url} autocomplete="off" />
        <span class="small mute">{d.node.example}</span>
      </p>
      <p class="field">
        <label for="node-blocks">{d.node.confirmations}</label>
        <input id="node-blocks" name="confirmations" type="number" min={0} max={1000} defaultValue={confirmations} />
      </p>
      {problem && <p class="notice bad" role="alert">{problem}</p>}
      <p class="small mute">{d.node.why}</p>
      <button type="submit" class="btn go">{d.node.use}</button>
    </form>
  );
}

function Table() {
  const [bet, setBet] = useState(1);
  const [level, setLevel] = useState(5);
  const [held, hold] = useChoice<readonly boolean[]>(s.choice.value?.dealt.join() ?? "", NONE);
  const [advised, setAdvised] = useState(false);
  const stage = s.stage.value, cards = s.cards.value;
  const chips = p.chipsOf(s.account.value?.available ?? 0);
  const canDeal = (stage === "ready" || stage === "over") && chips >= bet * level;
  const choosing = stage === "choose";
  const order = held.map((one) => one ? 0 : 1);
  const toggle = (place: number) => choosing && hold((now) => now.map((one, i) => i === place ? !one : one));
  const deal = () => {
    if (!canDeal) return;
    void p.begin(bet, level);
  };
  const draw = () => choosing && void p.draw(order);
  useEffect(() => {
    if (choosing) say(`${cards.map(cardName).join(", ")}. ${d.table.choose}`);
    setAdvised(false);
  }, [choosing]);
  useEffect(() => {
    if (s.ended.value) say(`${cards.map(cardName).join(", ")}. ${s.ended.value.words}`);
  }, [s.ended.value]);
  useKeys(
    choosing
      ? [
        ...cards.map((_, i) => ({ key: String(i + 1), does: d.table.toggle(i + 1), run: () => toggle(i) })),
        { key: "Enter", does: d.table.draw(order.filter(Boolean).length), run: draw },
        { key: "h", does: w.keys.hint, run: () => setAdvised(true) },
      ]
      : canDeal
      ? [{ key: "Enter", does: d.bet.deal, run: deal }]
      : [],
  );
  return (
    <section class="felt poker" aria-label={w.table.label} data-stage={stage} data-step={s.reached.value}>
      {s.alarm.value && (
        <div class="alarm" role="alert">
          <strong>{d.alarm.title[s.alarm.value.who]}</strong>
          <p>{s.alarm.value.message} {d.alarm.stop}</p>
        </div>
      )}
      <Cards
        cards={cards}
        held={held}
        choosing={choosing}
        toggle={toggle}
        empty={stage === "working" ? d.table.working : d.table.empty}
      />
      {choosing && (
        <div class="act">
          <button type="button" class="btn go" onClick={draw}>
            {d.table.draw(order.filter(Boolean).length)} <kbd>Enter</kbd>
          </button>
          {!advised && (
            <button type="button" class="btn" onClick={() => setAdvised(true)}>
              {w.table.hint} <kbd>H</kbd>
            </button>
          )}
          <span class="mute">
            {d.table.choose} <Left />
          </span>
        </div>
      )}
      {choosing && advised && <Advice />}
      {(stage === "ready" || stage === "over") && (
        <div class="stack">
          <fieldset class="choices">
            <legend>{d.bet.level}</legend>
            {LEVELS.map((one) => (
              <button
                type="button"
                class="btn"
                aria-pressed={one === level}
                onClick={() => setLevel(one)}
                key={one}
              >
                {one}
              </button>
            ))}
          </fieldset>
          <fieldset class="choices">
            <legend>{d.bet.bet}</legend>
            {BETS.map((one) => (
              <button
                type="button"
                class="btn"
                aria-pressed={one === bet}
                onClick={() => setBet(one)}
                key={one}
              >
                {one}
              </button>
            ))}
          </fieldset>
          <div class="act">
            <button type="button" class="btn go" disabled={!canDeal} onClick={deal}>
              {stage === "over" ? d.table.next : d.bet.deal} <kbd>Enter</kbd>
            </button>
            {hasNothing() && <Bring />}
            <span class="mute">{canDeal ? d.bet.stake(bet * level) : d.bet.poor}</span>
          </div>
        </div>
      )}
      {stage === "working" && cards.length > 0 && <p class="mute">{d.table.working}</p>}
      {s.trouble.value && <p class="notice" role="alert">{told(s.trouble.value)}</p>}
    </section>
  );
}

/** A purse of play money that is empty: the way to chips then stands beside the bet. */
const hasNothing = () => s.chain.value === 0 && p.chipsOf(s.account.value?.available ?? 0) === 0;

function Bring({ disabled = false }: { disabled?: boolean }) {
  const words = s.chain.value > 0 ? d.node.bring(PLENTY) : d.account.deposit(PLENTY);
  const urgent = p.chipsOf(s.account.value?.available ?? 0) === 0;
  return (
    <button
      type="button"
      class={urgent ? "btn go" : "btn"}
      disabled={disabled}
      onClick={() => void p.deposit(PLENTY)}
    >
      {words}
    </button>
  );
}

/** How long a choice may still take. */
function Left() {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, []);
  return <span class="clock">{d.table.left(Math.max(0, Math.round((s.deadline.value - now) / 1000)))}</span>;
}

function End({ ended }: { ended: s.Ended }) {
  return (
    <div class="stack" data-prize={ended.prize}>
      <p class="sentence" role="status">{ended.words}</p>
      <Afterwards />
      {ended.verdict && (
        <Verdict judged={ended.verdict} receipts={null} about={ended.words}>
          <button type="button" class="btn" onClick={() => saveFile("hand.jsonl", ended.transcript)}>
            {w.table.saveGame}
          </button>
        </Verdict>
      )}
    </div>
  );
}

function Steps() {
  return (
    <section class="card pane" aria-labelledby="told">
      <h2 id="told">{d.strip}</h2>
      {!s.steps.value.length && <p class="small mute">{d.noSteps}</p>}
      <ol class="told" hidden={!s.steps.value.length}>
        {s.steps.value.map(({ words, detail }) => (
          <li key={words}>
            {words}.
            {detail && (
              <details>
                <summary class="small">{w.strip.bytes}</summary>
                <span class="mono small bytes">{detail}</span>
              </details>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Account() {
  const account = s.account.value, terms = s.terms.value;
  if (!account || !terms) return null;
  const chips = p.chipsOf(account.available);
  const busy = s.stage.value !== "ready" && s.stage.value !== "over";
  const onChain = s.chain.value > 0;
  const purse = BigInt(account.purse);
  const canBring = !onChain || purse >= BigInt(PLENTY) * BigInt(terms.chip_cost) + s.upkeep.value;
  return (
    <section class="card pane stack" aria-labelledby="account">
      <h2 id="account">{d.account.title}</h2>
      <p>
        {d.account.at}: <strong data-chips={chips}>{d.chips(chips)}</strong>
      </p>
      <p class="acts">
        {(busy || !hasNothing()) && <Bring disabled={!canBring} />}
        {chips > 0 && !busy && (
          <button type="button" class="btn quiet" onClick={() => void p.withdraw()}>{d.account.withdraw}</button>
        )}
      </p>
      {onChain && (
        <>
          <p>{d.node.outside(inEther(purse))}</p>
          {!canBring && <p class="small">{d.node.fill(s.chain.value)}</p>}
          <p class="mono small bytes" data-address>{s.address.value}</p>
          <p class="acts">
            <Copy text={() => s.address.value} words={w.strip.copyReceipt} />
            <button type="button" class="btn quiet" onClick={() => void p.look()}>{d.node.again}</button>
            <button type="button" class="btn quiet" disabled={busy} onClick={() => void p.useNode(null)}>
              {d.node.other}
            </button>
          </p>
        </>
      )}
      <p class="small mute">{d.account.trust} {onChain ? told(terms.trusted) : d.account.ledger}.</p>
      <KeyRing holds={d.key.holds(chips, onChain ? inEther(purse) : "")} busy={busy} onChain={onChain} />
    </section>
  );
}

function Pays() {
  return (
    <details class="card pane" open={matchMedia("(min-width: 60rem)").matches}>
      <summary>{d.pays.title}</summary>
      <table class="teams pays">
        <thead>
          <tr>
            <th scope="col">{d.pays.head}</th>
            {LEVELS.map((level) => <th scope="col" key={level}>{level}</th>)}
          </tr>
        </thead>
        <tbody>
          {d.pays.hands.map(([name, row]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {row.map((pay, i) => <td key={i}>{pay}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
