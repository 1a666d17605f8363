-- The clock of Redis in whole µs since the Unix epoch. It stands still while a script runs.
local function now()
	local time = redis.call('TIME')
	return time[1] * 1000000 + time[2]
end

-- Notes when a bucket is full again, which is later than now.
local function note(bucket, full, now)
	redis.call('SET', bucket, string.format('%.0f %.0f', full, now), 'PX', math.ceil((full - now) / 1000))
end

-- When a bucket is full again, in µs; nil where it is. Where that was noted later than now, the clock of Redis was set back
-- since, and so is the bucket: nobody waits for the difference.
local function fullAt(bucket, now)
	local full, noted = string.match(redis.call('GET', bucket) or '', '^(%d+) (%d+)$')
	if full and tonumber(noted) > now then
		full = full - noted + now
		note(bucket, full, now)
	end
	return tonumber(full)
end
