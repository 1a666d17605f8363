--[[
  Takes the lock of a key, or a position in its line. Running it again changes nothing but what died meanwhile: it
  keeps the position, hands a free lock to the next in line, and joins the line anew where a flush lost it.

  Input:
    KEYS[1]  holder: token of the one who holds the lock
    KEYS[2]  queue: tokens of those who wait, the next one first

    ARGV[1]  token of the caller, `<process>.<number>`
    ARGV[2]  time to live of the lock in ms, the caller's or the next one's
    ARGV[3]  prefix of the processes' channels
    ARGV[4]  key, for the message to the next in line

  Output:
    { 1 or 0: whether the caller holds the lock, what is left of the holder's lease in ms, time of Redis in ms }
]]
--- @include "now"
--- @include "hand-over"
--- @include "left"

local token, ttl, time = ARGV[1], tonumber(ARGV[2]), now()
local holder = redis.call('GET', KEYS[1])

if holder ~= token then
	if not redis.call('LPOS', KEYS[2], token) then
		redis.call('RPUSH', KEYS[2], token)
	end
	-- Each waiter comes back when the lease ends, so a line that nobody asks about for this long is an abandoned one.
	redis.call('PEXPIRE', KEYS[2], 2 * ttl + 1000)
	if not holder then
		handOver(KEYS[1], KEYS[2], token, ttl, ARGV[3], ARGV[4], time)
		holder = redis.call('GET', KEYS[1])
	end
end

return { holder == token and 1 or 0, left(KEYS[1]), time }
