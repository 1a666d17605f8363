--[[
  Takes a token from each of several buckets, or from none of them where one is empty. It is the generic cell rate
  algorithm in its form of virtual scheduling (ITU-T I.371, annex A): of a bucket nothing is kept but the theoretical
  arrival time, the moment at which it is full again, by the clock of Redis, and when that was noted. A full bucket has no
  key.

  Input:
    KEYS     the buckets

    ARGV[1]  tokens to take from each: 1, or 0 to look only
    ARGV[2]  and so on, four for each bucket: its size in tokens, what a token takes to come back in µs, for how long
             the bucket will not be full as far as the caller knows, in µs, 0 where it knows nothing, and how many
             tokens it may owe (see charge-1.lua)

  Output:
    for each bucket { what is missing for the tokens in µs, ≤ 0 where they are there; what is missing to be full after
    the call, in µs; when it is full, in ms since the epoch }
]]
--- @include "bucket"

local now = now()
local buckets, missing = {}, false

for i, key in ipairs(KEYS) do
	local size, interval, known = tonumber(ARGV[4 * i - 2]), tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
	local most = (size + tonumber(ARGV[4 * i + 1])) * interval
	local stored = fullAt(key, now)
	-- Never emptier than empty and what it may owe, also where the plan was raised.
	local before = math.min(math.max(stored or 0, now + known), now + most)
	local after = before + tonumber(ARGV[1]) * interval
	local wait = after - size * interval - now
	missing = missing or wait > 0
	buckets[i] = { key = key, stored = stored, before = before, after = after, wait = wait }
end

local answer = {}
for i, bucket in ipairs(buckets) do
	local full = missing and bucket.before or bucket.after
	if full > now and full ~= bucket.stored then
		note(bucket.key, full, now)
	end
	answer[i] = { bucket.wait, full - now, math.ceil(full / 1000) }
end
return answer
