#!/usr/bin/env bash
# A contest player in bash with curl.
#
# bash bot.sh CONTEST_WATCH_URI TEAM VERSION
set -euo pipefail
shopt -s inherit_errexit

# GET, or POST if there is a second argument, with an Idempotency-Key if there is a third; what the
# arena refuses, it explains.
ask() {
  local answer
  if ! answer=$(curl --silent --show-error --max-time 30 --fail-with-body \
    --header 'Accept: application/json' \
    ${2:+--header 'Content-Type: application/json' --data-binary "$2"} \
    ${3:+--header "Idempotency-Key: $3"} -- "$1"); then
    echo "$answer" >&2
    return 1
  fi
  echo "$answer"
}

# The number of this name in a JSON object.
number() {
  [[ $1 =~ \"$2\"[[:space:]]*:[[:space:]]*([0-9]+) ]] || { echo "no $2 in $1" >&2; exit 1; }
  echo "${BASH_REMATCH[1]}"
}

# Text as JSON.
quoted() {
  local text=${1//\\/\\\\}
  echo "\"${text//\"/\\\"}\""
}

listed=5000 # a game with more codes than this is played digit by digit, in little memory

# Keep, of the codes, those that answer "full partial" to the guess.
keep_fitting() {
  local guess=($1) full=$2 partial=$3 code digits same common i
  local -a fitting=() counts
  for code in "${codes[@]}"; do
    digits=($code) counts=() same=0 common=0
    for i in "${!digits[@]}"; do
      if ((digits[i] == guess[i])); then same=$((same + 1)); fi
      counts[digits[i]]=$((${counts[digits[i]]:-0} + 1))
    done
    if ((same != full)); then continue; fi
    for i in "${guess[@]}"; do
      if ((${counts[i]:-0} > 0)); then common=$((common + 1)) counts[i]=$((counts[i] - 1)); fi
    done
    if ((common - same == partial)); then fitting+=("$code"); fi
  done
  codes=("${fitting[@]}")
}

# Where the codes are too many to be listed: change one digit at a time; say how many guesses.
patiently() {
  local oracle=$1 base=$2 length=$3 steps=1 best told full place digit old
  local -a guess=()
  for ((place = 0; place < length; place++)); do guess+=(0); done
  told=${guess[*]} told=$(ask "$oracle" "{\"submission\": [${told// /, }]}")
  best=$(number "$told" full_match_count)
  for ((place = 0; place < length; place++)); do
    for ((digit = 1; digit < base && best < length; digit++)); do
      old=${guess[place]} guess[place]=$digit steps=$((steps + 1))
      told=${guess[*]} told=$(ask "$oracle" "{\"submission\": [${told// /, }]}")
      full=$(number "$told" full_match_count)
      if ((full > best)); then
        best=$full
        break # the new digit is right
      fi
      guess[place]=$old
      if ((full < best)); then break; fi # the old one was
    done
  done
  echo "$steps guesses"
}

# Guess any code that fits all answers so far; say how many guesses it took.
play() {
  local oracle=$1 game base length told full partial guess steps=0 code digit i
  game=$(ask "$oracle") # the games of a contest may differ: each says what it is
  base=$(number "$game" base) length=$(number "$game" length)
  if [[ $game =~ \"over\"[[:space:]]*:[[:space:]]*true ]]; then
    echo "over already"
    return
  fi
  local every=1
  for ((i = 0; i < length && every <= listed; i++)); do every=$((every * base)); done
  if ((every > listed)); then
    patiently "$oracle" "$base" "$length"
    return
  fi
  codes=("")
  for ((i = 0; i < length; i++)); do
    local -a longer=()
    for code in "${codes[@]}"; do
      for ((digit = 0; digit < base; digit++)); do longer+=("${code:+$code }$digit"); done
    done
    codes=("${longer[@]}")
  done
  while ((${#codes[@]} > 0)); do
    guess=${codes[${#codes[@]} / 2]} steps=$((steps + 1))
    told=$(ask "$oracle" "{\"submission\": [${guess// /, }]}")
    full=$(number "$told" full_match_count) partial=$(number "$told" partial_match_count)
    if ((full == length)); then
      echo "$steps guesses"
      return
    fi
    keep_fitting "$guess" "$full" "$partial"
  done
  echo "$oracle has contradicted itself" >&2
  return 1
}

# Enter, or find the entry again; the private file of the team keeps its two secrets.
# With ours, written before it is sent, a lost answer can be asked for again. The arena's is the
# team's key: without it nobody can enter another version.
enter() {
  local watch entry entered ours key="" body file
  file=${1##*/}.$(printf %s "$2" | od -An -v -tx1 | tr -d ' \n').secrets
  if [[ ! -e $file ]]; then (umask 077 && openssl rand -hex 16 >"$file"); fi
  { read -r ours && read -r key || true; } <"$file"
  watch=$(ask "$1")
  [[ $watch =~ \"entry\"[[:space:]]*:[[:space:]]*\"(http[^\"]*)\" ]] || { echo "no contest: $1" >&2; exit 1; }
  entry=${BASH_REMATCH[1]}
  body="\"team_name\": $(quoted "$2"), \"software_version\": $(quoted "$3")"
  if [[ -n $key ]]; then body+=", \"team_key\": \"$key\"" ours=""; fi
  entered=$(ask "$entry" "{$body}" "$ours")
  if [[ -z $key && $entered =~ \"team_key\"[[:space:]]*:[[:space:]]*\"([^\"]*)\" ]]; then
    echo "${BASH_REMATCH[1]}" >>"$file"
  fi
  echo "$entered"
}

if (($# != 3)); then
  echo "usage: bot.sh CONTEST_WATCH_URI TEAM VERSION" >&2
  exit 2
fi
entered=$(enter "$@")
[[ $entered =~ \"oracle_URIs\"[[:space:]]*:[[:space:]]*\[([^]]*)\] ]]
game=0
for oracle in ${BASH_REMATCH[1]//[\",]/ }; do
  game=$((game + 1))
  guesses=$(play "$oracle")
  echo "game $game: $guesses"
done
