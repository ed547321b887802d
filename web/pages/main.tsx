/** The page's entry: the frame around every page, and which page it is. */
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ownName, rename } from "../arena/sit.ts";
import { connection } from "../arena/stream.ts";
import { Tent } from "../look/seals.tsx";
import { helpOpen, KeyHelp, useKeys } from "../parts/Keys.tsx";
import { Say } from "../parts/Say.tsx";
import { w } from "../words.ts";
import { Lobby } from "./lobby.tsx";
import { later } from "./later.tsx";
import { go, route } from "./route.ts";
import { TablePage } from "./table.tsx";

/** The build puts it here: a file cannot hold its own hash. */
declare const VERIFY_SHA256: string;

const PlayPage = later(() => import("./play.tsx").then(({ PlayPage }) => PlayPage));
const ContestsPage = later(() => import("./contests.tsx").then(({ ContestsPage }) => ContestsPage));
const ContestPage = later(() => import("./contest.tsx").then(({ ContestPage }) => ContestPage));
const OraclePage = later(() => import("./oracle.tsx").then(({ OraclePage }) => OraclePage));
const CroupierPage = later(() => import("./croupier.tsx").then(({ CroupierPage }) => CroupierPage));
const BotsPage = later(() => import("./bots.tsx").then(({ BotsPage }) => BotsPage));
const VerifyPage = later(() => import("./verify.tsx").then(({ VerifyPage }) => VerifyPage));

const LINKS = [
  { href: "#/", words: w.nav.play, pages: ["", "play", "seat"] },
  { href: "#/croupier", words: w.nav.croupier, pages: ["croupier"] },
  { href: "#/contests", words: w.nav.contests, pages: ["contests", "contest", "oracle"] },
  { href: "#/bots", words: w.nav.bots, pages: ["bots"] },
  { href: "#/verify", words: w.nav.verify, pages: ["verify"] },
];

function Page() {
  const { page, parts } = route.value;
  if (page === "" || page === "keys") return <Lobby />;
  if (page === "play") return <PlayPage name={parts[0] ?? ""} />;
  if (page === "table") return <TablePage id={parts[0] ?? ""} secret={null} key={parts[0]} />;
  if (page === "review") return <TablePage id={parts[0] ?? ""} secret={null} review key={parts[0]} />;
  if (page === "seat") return <TablePage id={parts[0] ?? ""} secret={parts[1] ?? ""} key={parts.join()} />;
  if (page === "contests") return <ContestsPage />;
  if (page === "contest") return <ContestPage id={parts[0] ?? ""} key={parts[0]} />;
  if (page === "oracle") return <OraclePage id={parts[0] ?? ""} key={parts[0]} />;
  if (page === "croupier") return <CroupierPage />;
  if (page === "bots") return <BotsPage />;
  if (page === "verify") return <VerifyPage />;
  return (
    <main id="main" class="wrap narrow" tabIndex={-1}>
      <h1>{w.notFound}</h1>
      <p>
        <a class="btn" href="#/">{w.toLobby}</a>
      </p>
    </main>
  );
}

function App() {
  const { page, parts } = route.value;
  useKeys([
    { key: "?", does: w.keys.help, run: () => helpOpen.value = true },
    { key: "l", does: w.keys.lobby, run: () => go("#/") },
  ]);
  useEffect(() => {
    if (page === "keys") helpOpen.value = true;
  }, [page]);
  const place = `${page}/${parts.join("/")}`;
  useEffect(() => scrollTo(0, 0), [place]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        {w.skip}
      </a>
      <div class="awning" aria-hidden="true" />
      <header class="top wrap">
        <a class="brand" href="#/">
          <Tent />
          {w.name}
        </a>
        <nav class="main" aria-label={w.nav.label}>
          {LINKS.map(({ href, words, pages }) => (
            <a href={href} aria-current={pages.includes(page) ? "page" : undefined} key={href}>{words}</a>
          ))}
        </nav>
        <span class="who">
          <span class={connection.value === "live" ? "dot" : "dot lost"} />
          <label class="sr" for="own-name">{w.yourName}</label>
          <input
            id="own-name"
            value={ownName.value}
            maxLength={40}
            autocomplete="nickname"
            onChange={(event) => rename(event.currentTarget.value)}
          />
          <span class="mute small opt">{w.nameOnly}</span>
        </span>
      </header>
      <Say />
      {connection.value === "lost" && <p class="wrap notice" role="alert">{w.lost}</p>}
      <Page />
      <footer class="low">
        <div class="wrap">
          <span>{w.foot.money}</span>
          <button type="button" class="link" onClick={() => helpOpen.value = true}>
            {w.keyboard} <kbd>?</kbd>
          </button>
          <span class="hash">
            <a href="/verify.html">verify.html</a> SHA-256 <code>{VERIFY_SHA256}</code>
          </span>
          <a href="/schema">{w.foot.api}</a>
        </div>
      </footer>
      <KeyHelp />
    </>
  );
}

render(<App />, document.body);
