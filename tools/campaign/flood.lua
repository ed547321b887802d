-- What wrk sends as a flood: one request, METHOD with BODY, again and again. COUNT in a body is a new number each time.

wrk.method = os.getenv("METHOD")
wrk.headers["Content-Type"] = "application/json"

local body, count = os.getenv("BODY"), 0
if body == "" then
  body = nil
elseif body:find("COUNT") then
  function request()
    count = count + 1
    return wrk.format(nil, nil, nil, (body:gsub("COUNT", count)))
  end
end
wrk.body = body
