--[[
  Gives the lock of a place back, only where the caller still holds it, and hands it to the next in line.

  Input:
    KEYS[1]  holder: token of the one who holds the lock
    KEYS[2]  queue: tokens of those who wait, the next one first

    ARGV[1]  token of the caller, `<process>.<number>`
    ARGV[2]  time to live in ms of the next holder's lock
    ARGV[3]  prefix of the processes' channels
    ARGV[4]  place, for the message to the next in line

  Output:
    1  the lock was the caller's
    0  the caller had lost it
]]
--- @include "now"
--- @include "hand-over"

local holder = redis.call('GET', KEYS[1])
local ours = holder == ARGV[1]

if ours or not holder then
	handOver(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], now())
end

return ours and 1 or 0
