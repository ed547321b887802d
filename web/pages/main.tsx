/** The page's entry: the frame around every page, and which page it is. */
import { render } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect } from "preact/hooks";
import { isSafe } from "../arena/safe.ts";
import { ownName, rename } from "../arena/sit.ts";
import { connection } from "../arena/stream.ts";
import { Tent } from "../look/seals.tsx";
import { helpOpen, KeyHelp, useKeys } from "../parts/Keys.tsx";
import { Nothing } from "../parts/Nothing.tsx";
import { Say, say } from "../parts/Say.tsx";
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
const TablesPage = later(() => import("./tables.tsx").then(({ TablesPage }) => TablesPage));
const PractisePage = later(() => import("./practise.tsx").then(({ PractisePage }) => PractisePage));
const BotsPage = later(() => import("./bots.tsx").then(({ BotsPage }) => BotsPage));
const VerifyPage = later(() => import("./verify.tsx").then(({ VerifyPage }) => VerifyPage));

const LINKS = [
  { href: "#/", words: w.nav.play, pages: ["", "play", "seat", "practise", "tables", "table", "review"] },
  { href: "#/croupier", words: w.nav.croupier, pages: ["croupier"] },
  { href: "#/contests", words: w.nav.contests, pages: ["contests", "contest", "oracle"] },
  { href: "#/bots", words: w.nav.bots, pages: ["bots"] },
  { href: "#/verify", words: w.nav.verify, pages: ["verify"] },
];

function Page() {
  const { page, parts } = route.value;
  const [failed] = useErrorBoundary(reportError); // a page that cannot be drawn must not be an empty one
  if (failed) return <Nothing words={w.failed} />;
  if (page === "" || page === "keys") return <Lobby />;
  if (page === "play") return <PlayPage name={parts[0] ?? ""} />;
  if (page === "table") return <TablePage id={parts[0] ?? ""} secret={null} key={parts[0]} />;
  if (page === "review") return <TablePage id={parts[0] ?? ""} secret={null} review key={parts[0]} />;
  if (page === "seat") return <TablePage id={parts[0] ?? ""} secret={parts[1] ?? ""} key={parts.join()} />;
  if (page === "contests") return <ContestsPage />;
  if (page === "contest") return <ContestPage id={parts[0] ?? ""} key={parts[0]} />;
  if (page === "oracle") return <OraclePage id={parts[0] ?? ""} key={parts[0]} />;
  if (page === "croupier") return <CroupierPage />;
  if (page === "tables") return <TablesPage />;
  if (page === "practise") return <PractisePage />;
  if (page === "bots") return <BotsPage />;
  if (page === "verify") return <VerifyPage />;
  return <Nothing words={w.notFound} />;
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
  // Before the new page says something of its own.
  useLayoutEffect(() => {
    scrollTo(0, 0);
    say("");
  }, [place]);
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
          <span
            class={connection.value === "live" ? "dot" : "dot lost"}
            role="img"
            aria-label={connection.value === "live" ? w.connected : w.notConnected}
          />
          <label class="sr" for="own-name">{w.yourName}</label>
          <input
            id="own-name"
            value={ownName.value}
            maxLength={40}
            autocomplete="nickname"
            onInput={(event) => rename(event.currentTarget.value)}
          />
          <span class="mute small opt">{w.nameOnly}</span>
        </span>
      </header>
      <Say />
      {!isSafe && page !== "verify" && <p class="wrap notice" role="alert">{w.unsafe}</p>}
      {connection.value === "lost" && <p class="wrap notice" role="alert">{w.lost}</p>}
      <Page key={place} />
      <footer class="low">
        <div class="wrap">
          <span>{w.foot.money}</span>
          <button type="button" class="link" onClick={() => helpOpen.value = true}>
            {w.keyboard} <kbd>?</kbd>
          </button>
          <a href="/schema">{w.foot.api}</a>
          <a href="/docs/index.html">{w.foot.docs}</a>
          <span class="hash">
            <a href="/verify.html">verify.html</a> SHA-256 <code>{VERIFY_SHA256}</code>
          </span>
        </div>
      </footer>
      <KeyHelp />
    </>
  );
}

render(<App />, document.body);
