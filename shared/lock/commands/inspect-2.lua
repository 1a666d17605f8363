--[[
  Who holds the lock of a key, and how many wait.

  Input:
    KEYS[1]  holder: token of the one who holds the lock
    KEYS[2]  queue: tokens of those who wait, the next one first

  Output:
    { token of the holder or nil, number of waiters, what is left of the lease in ms or negative }
]]
--- @include "left"

return { redis.call('GET', KEYS[1]), redis.call('LLEN', KEYS[2]), left(KEYS[1]) }
