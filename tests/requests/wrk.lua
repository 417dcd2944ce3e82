-- SPDX-License-Identifier: BSD-2-Clause
-- What wrk counted, in one line: answers, and those that are none.
done = function(summary, latency, requests)
	local e = summary.errors
	print(string.format("counted %d %d", summary.requests - e.status, e.connect + e.read + e.write + e.status + e.timeout))
end
