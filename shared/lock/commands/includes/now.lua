-- The clock of Redis in whole ms since the Unix epoch. It stands still while a script runs.
local function now()
	local time = redis.call('TIME')
	return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
