-- Gives the lock of a key to the first waiter in line that still listens, or frees it.
--
-- PUBLISH answers how many connections received the message. 0 means that the waiter's process is dead, so the next in
-- line is tried. The caller of the script needs no message: it learns from the answer that the lock is its own.
--
-- The message is `<token> <time> <ttl> <key>`: when, by the clock of Redis, and for how long, both in ms.
local function handOver(holder, queue, caller, ttl, channels, key, now)
	local token = redis.call('LPOP', queue)
	while token do
		redis.call('SET', holder, token, 'PX', ttl)
		local channel = channels .. string.match(token, '^[^.]+')
		local message = table.concat({ token, now, ttl, key }, ' ')
		if token == caller or redis.call('PUBLISH', channel, message) > 0 then
			return
		end
		token = redis.call('LPOP', queue)
	end
	redis.call('DEL', holder)
end
