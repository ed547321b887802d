// A contest player for node 18 or newer, without packages.
//
// node bot.js CONTEST_WATCH_URI TEAM VERSION

const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { randomBytes } = require("node:crypto");

// A game with more codes than this is played digit by digit, in little memory.
const LISTED = 100_000;

// GET, or POST if there is a body; JSON both ways. `once` is an Idempotency-Key.
async function ask(uri, body, once) {
  const answer = await fetch(uri, {
    method: body ? "POST" : "GET",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      ...(once && { "Idempotency-Key": once }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}

// All codes of so many digits, each below base.
function* every(base, length) {
  if (length === 0) yield [];
  else for (const rest of every(base, length - 1))
    for (let digit = 0; digit < base; digit++) yield [...rest, digit];
}

// Full and partial matches, as one word that can be compared.
function marks(code, guess) {
  const full = code.filter((digit, i) => digit === guess[i]).length;
  const left = [...code];
  let common = 0;
  for (const digit of guess) {
    const at = left.indexOf(digit);
    if (at >= 0) { left.splice(at, 1); common++; }
  }
  return `${full} ${common - full}`;
}

// Where the codes are too many to be listed: change one digit at a time; how many guesses it took.
async function patiently(oracle, base, length) {
  let guess = Array(length).fill(0);
  let best = (await ask(oracle, { submission: guess })).full_match_count;
  let steps = 1;
  for (let place = 0; place < length; place++)
    for (let digit = 1; digit < base; digit++) {
      if (best === length) return steps;
      const tried = guess.map((old, i) => (i === place ? digit : old));
      const full = (await ask(oracle, { submission: tried })).full_match_count;
      steps++;
      if (full === best) continue;
      if (full > best) [guess, best] = [tried, full];
      break; // this place is settled: the new digit is right, or the old one was
    }
  return steps;
}

// Guess any code that fits all answers so far; how many guesses it took.
async function play(oracle) {
  const { base, length, over } = await ask(oracle); // the games of a contest may differ
  if (over) return null;
  if (base ** length > LISTED) return patiently(oracle, base, length);
  let codes = [...every(base, length)];
  for (let steps = 1; codes.length > 0; steps++) {
    const guess = codes[codes.length >> 1];
    const told = await ask(oracle, { submission: guess });
    if (told.full_match_count === length) return steps;
    const said = `${told.full_match_count} ${told.partial_match_count}`;
    codes = codes.filter((code) => marks(code, guess) === said);
  }
  throw new Error(`${oracle} has contradicted itself`);
}

// Enter, or find the entry again; the private file of the team keeps its two secrets.
// With ours, written before it is sent, a lost answer can be asked for again. The arena's is the
// team's key: without it nobody can enter another version.
async function enter(contest, team, version) {
  const file = `${contest.split("/").pop()}.${Buffer.from(team).toString("hex")}.secrets`;
  if (!existsSync(file))
    writeFileSync(file, `${randomBytes(16).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  const [ours, team_key] = readFileSync(file, "utf8").trim().split("\n");
  const { entry } = await ask(contest);
  const body = { team_name: team, software_version: version, team_key };
  const entered = await ask(entry, body, team_key ? undefined : ours);
  if (!team_key) appendFileSync(file, `${entered.team_key}\n`);
  return entered.oracle_URIs;
}

async function main([contest, team, version]) {
  if (!version) throw new Error("usage: node bot.js CONTEST_WATCH_URI TEAM VERSION");
  let number = 0;
  for (const oracle of await enter(contest, team, version)) {
    const steps = await play(oracle);
    console.log(`game ${++number}: ${steps === null ? "over already" : `${steps} guesses`}`);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message); // the arena explains what is wrong
  process.exitCode = 1;
});
