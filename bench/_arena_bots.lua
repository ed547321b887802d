-- What wrk sends as bots: each connection makes an oracle, asks it a few times, and makes another.
-- One connection for each thread (-t64 -c64): so a connection plays games of its own only.

local GUESSES = 6
local path, asked, at = nil, 0, 0

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function init()
  math.randomseed(tonumber(tostring({}):match("0x(%x+)"), 16))
  at = math.random(10000)
end

function request()
  if path == nil then
    return wrk.format(nil, "/neworacle", nil, '{"base": 10, "length": 4, "oracle_type": "fair"}')
  end
  at, asked = at + 1, asked + 1
  local n = at * 7919 % 10000
  return wrk.format(nil, path, nil, string.format('{"submission": [%d, %d, %d, %d]}',
    n / 1000, n / 100 % 10, n / 10 % 10, n % 10))
end

function response(status, headers)
  if status == 303 then
    path, asked = (headers["location"] or headers["Location"]):match("^http://[^/]+(/.*)$"), 0
  elseif status ~= 200 or asked == GUESSES then
    path = nil
  end
end

function done(summary, latency)
  local e = summary.errors
  print(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "refused": %d, "failed": %d, "p50_ms": %.3f, "p99_ms": %.3f}',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
