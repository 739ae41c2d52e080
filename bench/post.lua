-- The requests of wrk: a JSON body to a path. The path and the body are arguments. A third argument, N,
-- replaces each '#' in the body by a number below N, another number each time. A fourth argument is a
-- Prefer header. A fifth argument names a file of cookies, a line each; each request has another cookie.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function init(args)
  wrk.path = args[1] or "/dispatch"
  wrk.body = args[2] or '{"type":"CounterIncreaseRequested","payload":{}}'
  local count, number = tonumber(args[3]), 0
  if args[4] and args[4] ~= "" then wrk.headers["Prefer"] = args[4] end
  if args[5] then
    local requests = {}
    for cookie in io.lines(args[5]) do
      wrk.headers["Cookie"] = cookie
      requests[#requests + 1] = wrk.format(nil, wrk.path, wrk.headers, wrk.body)
    end
    request = function()
      number = (number + 7919) % #requests
      return requests[number + 1]
    end
  end
  if count and count > 0 then
    request = function()
      -- Steps of a prime number, so that consecutive requests have distant numbers.
      number = (number + 7919) % count
      return wrk.format(nil, nil, nil, (wrk.body:gsub("#", number)))
    end
  end
end

-- One line for the driver: requests, microseconds, errors, then p50 and p99 in microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("result %d %d %d %d %d\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
