-- What wrk sends: submissions to one oracle after the other, or orders for new ones.
-- ORACLES: a file of paths; BEGIN: with which to begin. If WANTED is set, so many new oracles are made and their paths written there.

local paths, at, made = {}, tonumber(os.getenv("BEGIN") or "0"), 0
local wanted = tonumber(os.getenv("WANTED") or "0")
local out

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function init()
  if wanted > 0 then
    out = assert(io.open(os.getenv("ORACLES"), "w"))
    wrk.body = '{"base": 10, "length": 4, "oracle_type": "fair"}'
  else
    for path in io.lines(os.getenv("ORACLES")) do paths[#paths + 1] = path end
  end
end

-- The next digits of a fixed walk through all numbers of four digits: 7919 is prime to 10000.
local function guess()
  local n = at * 7919 % 10000
  return string.format('{"submission": [%d, %d, %d, %d]}',
    n / 1000, n / 100 % 10, n / 10 % 10, n % 10)
end

function request()
  if wanted > 0 then return wrk.format(nil, "/neworacle") end
  at = at + 1
  return wrk.format(nil, paths[at % #paths + 1], nil, guess())
end

if wanted > 0 then
  function response(status, headers)
    if made == wanted then return end
    local where = headers["location"] or headers["Location"]
    if status ~= 303 or not where then error("no new oracle: " .. status) end
    out:write(where:match("^http://[^/]+(/.*)$"), "\n")
    made = made + 1
    if made == wanted then
      out:close()
      os.exit(0)  -- wrk itself would sit out its time
    end
  end
end

function done(summary, latency)
  local e = summary.errors
  print(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "refused": %d, "failed": %d, "p50_ms": %.3f, "p99_ms": %.3f}',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
