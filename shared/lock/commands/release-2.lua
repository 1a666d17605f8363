--[[
  Gives back what the caller has at a key: the lock, which goes to the next in line, or else its position in line.
  A waiter that gives up runs it too, for it may just have been promoted.

  Input:
    KEYS[1]  holder: token of the one who holds the lock
    KEYS[2]  queue: tokens of those who wait, the next one first

    ARGV[1]  token of the caller, `<process>.<number>`
    ARGV[2]  time to live in ms of the next holder's lock
    ARGV[3]  prefix of the processes' channels
    ARGV[4]  key, for the message to the next in line

  Output:
    1  the lock was the caller's
    0  the caller had lost it, or had not come to it
]]
--- @include "now"
--- @include "hand-over"

local holder = redis.call('GET', KEYS[1])
local ours = holder == ARGV[1]

if not ours then
	redis.call('LREM', KEYS[2], 0, ARGV[1])
end
if ours or not holder then
	handOver(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], now())
end

return ours and 1 or 0
