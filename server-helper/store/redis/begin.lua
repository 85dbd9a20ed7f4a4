-- Each call of the store is one run of this script: one step to everybody else.
-- KEYS[1]: what all keys begin with, in braces, so that a cluster keeps them together. ARGV: the method, what it is given (JSON), ms since 1970.
-- All values are strings. What is not there is absent; in a change it is null.
local prefix, method, given, now = KEYS[1], ARGV[1], cjson.decode(ARGV[2]), tonumber(ARGV[3])
local call = redis.call
local longestLeaseMs = 60000
local methods = {}

local function key(...)
  local parts = { ... }
  -- The last may hold what separates the others.
  for i = 1, #parts - 1 do parts[i] = string.gsub(parts[i], '[:%%]', { [':'] = '%3A', ['%'] = '%25' }) end
  return prefix .. ':' .. table.concat(parts, ':')
end

local function toText(number) return string.format('%.0f', number) end

local function read(name)
  local flat = call('HGETALL', name)
  if #flat == 0 then return nil end
  local record = {}
  for i = 1, #flat, 2 do record[flat[i]] = flat[i + 1] end
  return record
end

local function change(name, values)
  for field, value in pairs(values) do
    if value == cjson.null then call('HDEL', name, field) else call('HSET', name, field, value) end
  end
end
