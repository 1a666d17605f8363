-- What is left of the holder's lease in ms; negative without a holder. No lease is longer than 10 s. One that seems to be
-- was given before the clock of Redis was set back; its holder may be dead, so it ends in 10 s.
local function left(holder)
	local ms = redis.call('PTTL', holder)
	if ms <= 10000 then
		return ms
	end
	redis.call('PEXPIRE', holder, 10000)
	return 10000
end
