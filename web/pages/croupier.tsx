/** The Blind Croupier: the browser is the Player of the document. */
import "./first.ts";
import { useEffect, useState } from "preact/hooks";
import { saveFile } from "./save.ts";
import { exported, imported } from "../desk/keys.ts";
import * as p from "../desk/player.ts";
import { cardName } from "../look/cards.tsx";
import { Cards } from "../parts/Cards.tsx";
import { useKeys } from "../parts/Keys.tsx";
import { say } from "../parts/Say.tsx";
import { Verdict } from "../parts/Verdict.tsx";
import { short, told, w } from "../words.ts";
import { d } from "../words/croupier.ts";

const LEVELS = [1, 2, 3, 4, 5];
const BETS = [1, 2, 5, 10];
const PLENTY = 200;

export function CroupierPage() {
  useEffect(() => {
    document.title = `${d.title} · ${w.name}`;
    if (globalThis.isSecureContext) void p.open();
  }, []);
  return (
    <main id="main" class="wrap" tabIndex={-1}>
      <h1>{d.title}</h1>
      <p class="lead">{d.lead}</p>
      {!globalThis.isSecureContext
        ? <p class="notice bad">{d.insecure}</p>
        : p.stage.value === "away"
        ? <p class="notice">{d.none} {told(p.trouble.value)}</p>
        : (
          <div class="table desk">
            <div class="stack">
              <Table />
              {p.ended.value && <End ended={p.ended.value} />}
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

function Table() {
  const [bet, setBet] = useState(1);
  const [level, setLevel] = useState(5);
  const [held, setHeld] = useState<readonly boolean[]>([false, false, false, false, false]);
  const stage = p.stage.value, cards = p.cards.value;
  const chips = p.chipsOf(p.account.value?.available ?? 0);
  const canDeal = (stage === "ready" || stage === "over") && chips >= bet * level;
  const choosing = stage === "choose";
  const order = held.map((one) => one ? 0 : 1);
  const toggle = (place: number) => choosing && setHeld(held.map((one, i) => i === place ? !one : one));
  const deal = () => {
    if (!canDeal) return;
    setHeld([false, false, false, false, false]);
    void p.begin(bet, level);
  };
  const draw = () => choosing && void p.draw(order);
  useEffect(() => {
    if (choosing) say(`${cards.map(cardName).join(", ")}. ${d.table.choose}`);
  }, [choosing]);
  useEffect(() => {
    if (p.ended.value) say(`${cards.map(cardName).join(", ")}. ${p.ended.value.words}`);
  }, [p.ended.value]);
  useKeys(
    choosing
      ? [
        ...cards.map((_, i) => ({ key: String(i + 1), does: d.table.toggle(i + 1), run: () => toggle(i) })),
        { key: "Enter", does: d.table.draw(order.filter(Boolean).length), run: draw },
      ]
      : canDeal
      ? [{ key: "Enter", does: d.bet.deal, run: deal }]
      : [],
  );
  return (
    <section class="felt poker" aria-label={w.table.label} data-stage={stage}>
      {p.alarm.value && (
        <div class="alarm" role="alert">
          <strong>{d.alarm.title[p.alarm.value.who]}</strong>
          <p>{p.alarm.value.message} {d.alarm.stop}</p>
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
          <span class="mute">{d.table.choose}</span>
        </div>
      )}
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
            <span class="mute">{canDeal ? d.bet.stake(bet * level) : d.bet.poor}</span>
          </div>
        </div>
      )}
      {stage === "working" && cards.length > 0 && <p class="mute">{d.table.working}</p>}
      {p.trouble.value && <p class="notice" role="alert">{told(p.trouble.value)}</p>}
    </section>
  );
}

function End({ ended }: { ended: p.Ended }) {
  return (
    <div class="stack" data-prize={ended.prize}>
      <p class="sentence" role="status">{ended.words}</p>
      {ended.verdict && (
        <Verdict judged={ended.verdict} receipts={null} about={d.title}>
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
      <ol class="told">
        {p.steps.value.map(({ words, detail }) => (
          <li key={words}>
            <span aria-hidden="true">✓</span> {words}.
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
  const account = p.account.value, terms = p.terms.value;
  const [asking, setAsking] = useState<"" | "export" | "import">("");
  const [said, setSaid] = useState("");
  if (!account || !terms) return null;
  const chips = p.chipsOf(account.available);
  const busy = p.stage.value !== "ready" && p.stage.value !== "over";
  const submit = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const passphrase = String(given.get("passphrase"));
    if (asking === "export") saveFile("fairground-key.json", await exported(passphrase));
    else {
      const file = given.get("file") as File;
      if (!await imported(await file.text(), passphrase)) return setSaid(d.account.wrong);
      setSaid(d.account.done);
      await p.open();
    }
    setAsking("");
  };
  return (
    <section class="card pane stack" aria-labelledby="account">
      <h2 id="account">{d.account.title}</h2>
      <p>
        {d.account.at}: <strong data-chips={chips}>{d.chips(chips)}</strong>
      </p>
      <p class="acts">
        <button type="button" class={chips ? "btn" : "btn go"} onClick={() => void p.deposit(PLENTY)}>
          {d.account.deposit(PLENTY)}
        </button>
        {chips > 0 && !busy && (
          <button type="button" class="btn quiet" onClick={() => void p.withdraw()}>{d.account.withdraw}</button>
        )}
      </p>
      <p class="small mute">{d.account.trust} {told(terms.trusted)}.</p>
      <h3>{d.account.key}</h3>
      <p class="mono small" title={p.address.value}>{short(p.address.value.slice(2))}</p>
      <p class="small mute">{d.account.keyText}</p>
      <p class="acts">
        <button type="button" class="btn" onClick={() => setAsking(asking === "export" ? "" : "export")}>
          {d.account.export}
        </button>
        <button
          type="button"
          class="btn"
          disabled={busy}
          onClick={() => setAsking(asking === "import" ? "" : "import")}
        >
          {d.account.import}
        </button>
      </p>
      {asking && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(event.currentTarget);
          }}
        >
          {asking === "import" && (
            <input type="file" name="file" accept=".json" required aria-label={d.account.import} />
          )}
          <p class="field">
            <label for="passphrase">{d.account.passphrase}</label>
            <input
              id="passphrase"
              name="passphrase"
              type="password"
              autocomplete="new-password"
              minLength={8}
              required
              title={d.account.short}
            />
          </p>
          <button type="submit" class="btn go">{asking === "export" ? d.account.export : d.account.import}</button>
        </form>
      )}
      {said && <p class="small" role="status">{said}</p>}
    </section>
  );
}

function Pays() {
  return (
    <details class="card pane">
      <summary>{d.pays.title}</summary>
      <table class="teams">
        <thead>
          <tr>
            <th scope="col">{d.table.cards}</th>
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
      <p class="small mute">{d.money}</p>
    </details>
  );
}
