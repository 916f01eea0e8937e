-- For wrk: posts one review again and again; says its percentiles in a line.
local file = io.open(os.getenv("REVIEW"), "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "RESULT requests=%d seconds=%.3f p50=%.0f p99=%.0f p999=%.0f failed=%d\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
