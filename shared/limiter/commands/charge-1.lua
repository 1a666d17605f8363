--[[
  Takes tokens from a bucket whether they are there or not: what something cost is sometimes known afterwards only. The
  bucket then owes them, up to a limit, and `take` finds it empty until they have come back. See take-n.lua for what is kept.

  Input:
    KEYS[1]  the bucket

    ARGV[1]  tokens to take
    ARGV[2]  its size in tokens
    ARGV[3]  what a token takes to come back, in µs
    ARGV[4]  for how long the bucket will not be full as far as the caller knows, in µs; 0 where it knows nothing
    ARGV[5]  tokens that it may owe

  Output:
    what is missing to be full after the call, in µs
]]
--- @include "bucket"

local now = now()
local interval = tonumber(ARGV[3])
local most = (tonumber(ARGV[2]) + tonumber(ARGV[5])) * interval
local before = math.max(fullAt(KEYS[1], now) or 0, now + tonumber(ARGV[4]))
local full = math.min(before + tonumber(ARGV[1]) * interval, now + most)
note(KEYS[1], full, now)
return full - now
