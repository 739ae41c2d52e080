-- What wrk sends: one tiny action per request, to the path given as argument.
wrk.method = "POST"
wrk.body = '{"type":"CounterIncreaseRequested","payload":{}}'
wrk.headers["Content-Type"] = "application/json"

function init(args)
  wrk.path = args[1] or "/dispatch"
end

-- One line for the driver: requests, microseconds, errors, then p50 and p99 in microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("result %d %d %d %d %d\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
